/** Values in the Distinguished Encoding Rules of ASN.1 (X.690), as far as a certificate needs them. */
export type Der = Buffer;

function tagged(tag: number, ...contents: readonly Buffer[]): Der {
  const body = Buffer.concat(contents);
  const length = body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

export const sequence = (...items: readonly Der[]): Der => tagged(0x30, ...items);
export const set = (...items: readonly Der[]): Der => tagged(0x31, ...items);
export const octets = (bytes: Buffer): Der => tagged(0x04, bytes);
export const bits = (bytes: Buffer, unused = 0): Der => tagged(0x03, Buffer.from([unused]), bytes);
export const utf8 = (text: string): Der => tagged(0x0c, Buffer.from(text));
export const yes = (): Der => tagged(0x01, Buffer.from([0xff]));

/** Big-endian and positive: the first bit is not set. */
export const integer = (bytes: Buffer): Der => tagged(0x02, bytes);

/** `[number]` around a value of its own type. */
export const explicit = (number: number, value: Der): Der => tagged(0xa0 | number, value);
/** `[number]` in place of the type. */
export const implicit = (number: number, bytes: Buffer): Der => tagged(0x80 | number, bytes);

export function oid(text: string): Der {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** Two digits of the year up to 2049, four from then on (RFC 5280, 4.1.2.5). */
export function time(date: Date): Der {
  const digits = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

export function pem(label: string, der: Der): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
