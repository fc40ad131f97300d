/** A value in the Distinguished Encoding Rules of ASN.1 (X.690). */
export interface DerValue {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Buffer;
  readonly contents: Buffer;
}

export const tags = { integer: 0x02, bitString: 0x03, oid: 0x06, sequence: 0x30, set: 0x31 } as const;

/** What is wrong with bytes that are no such value, in the words of Go's decoder. */
export class DerError extends Error {}

const truncated = (what: string): DerError => new DerError(`asn1: syntax error: ${what}`);

/** The first value. @throws DerError */
export function readDer(bytes: Buffer): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined) throw truncated('sequence truncated');
  if (first === undefined) throw truncated('truncated tag or length');
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80) throw truncated('indefinite length found (not DER)');
  if (count > 4 || bytes.length < 2 + count) throw truncated('truncated tag or length');
  const length = count === 0 ? first : bytes.readUIntBE(2, count);
  const start = 2 + count;
  if (start + length > bytes.length) throw truncated('data truncated');
  return { tag, whole: bytes.subarray(0, start + length), contents: bytes.subarray(start, start + length) };
}

/** The values inside one of the wanted tag. @throws DerError */
export function itemsOf(value: DerValue, tag: number = tags.sequence): DerValue[] {
  if (value.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  const items: DerValue[] = [];
  for (let left = value.contents; left.length > 0; left = left.subarray((items.at(-1) as DerValue).whole.length)) items.push(readDer(left));
  return items;
}

/** `1.2.840.10045.4.3.2` */
export function oidText({ contents }: DerValue): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of contents) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [head = 0, ...rest] = numbers;
  const first = Math.min(Math.floor(head / 40), 2);
  return [first, head - 40 * first, ...rest].join('.');
}
