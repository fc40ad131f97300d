/** An IP address as a number. */
export interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

const octet = /^(0|[1-9]\d{0,2})$/;

function parseIPv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let bits = 0n;
  for (const part of parts) {
    if (!octet.test(part) || Number(part) > 255) return undefined;
    bits = (bits << 8n) | BigInt(part);
  }
  return bits;
}

function parseIPv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const groups = (half: string): bigint[] | undefined => {
    if (half === '') return [];
    const found: bigint[] = [];
    const parts = half.split(':');
    for (const [index, part] of parts.entries()) {
      if (part.includes('.') && index === parts.length - 1) {
        const tail = parseIPv4(part);
        if (tail === undefined) return undefined;
        found.push(tail >> 16n, tail & 0xffffn);
      } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) found.push(BigInt(`0x${part}`));
      else return undefined;
    }
    return found;
  };
  const head = groups(halves[0] as string);
  const tail = halves.length === 2 ? groups(halves[1] as string) : [];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array<bigint>(halves.length === 2 ? missing : 0).fill(0n), ...tail];
  return all.reduce((bits, group) => (bits << 16n) | group, 0n);
}

/** An IP address without zone or leading zeros; undefined when it is none. */
export function parseAddress(text: string): Address | undefined {
  if (!text.includes(':')) {
    const bits = parseIPv4(text);
    return bits === undefined ? undefined : { family: 4, bits };
  }
  const bits = parseIPv6(text);
  return bits === undefined ? undefined : { family: 6, bits };
}

export interface AddressRange extends Address {
  readonly prefix: number;
}

/** CIDR notation; undefined when it is none. */
export function parseCidr(text: string): AddressRange | undefined {
  const [head = '', length, ...rest] = text.split('/');
  if (length === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length)) return undefined;
  const address = parseAddress(head);
  const prefix = Number(length);
  if (!address || prefix > (address.family === 4 ? 32 : 128)) return undefined;
  return { ...address, prefix };
}

/** Whether the address lies in the range (same family, same prefix). */
export function inCidr(address: Address, range: AddressRange): boolean {
  if (address.family !== range.family) return false;
  const shift = BigInt((range.family === 4 ? 32 : 128) - range.prefix);
  return address.bits >> shift === range.bits >> shift;
}

export function formatIPv4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.');
}

/** As Go writes an address: IPv6 in small letters, the longest run of zeros left out. What is no address stays as it is. */
export function canonicalAddress(text: string): string {
  const address = parseAddress(text);
  return address?.family === 6 ? formatAddress(address) : text;
}

export function formatAddress({ family, bits }: Address): string {
  if (family === 4) return formatIPv4(bits);
  const groups = Array.from({ length: 8 }, (_, index) => Number((bits >> BigInt(112 - 16 * index)) & 0xffffn));
  let [start, length] = [0, 0];
  for (let from = 0; from < groups.length; from++) {
    let until = from;
    while (groups[until] === 0) until++;
    if (until - from > length) [start, length] = [from, until - from];
  }
  const shown = groups.map((group) => group.toString(16));
  if (length < 2) return shown.join(':');
  return `${shown.slice(0, start).join(':')}::${shown.slice(start + length).join(':')}`;
}

/** `HOST:PORT`, the host in brackets where it is an address of IPv6 (Go: `net.JoinHostPort`). */
export function hostPort(host: string, port: string | number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
