import { createHash } from 'node:crypto';

/** Namespace of every id kubereel derives (a fixed random UUID). */
const KUBEREEL_NAMESPACE = Buffer.from('6f0b5f6e3f0c4b63a8c1d1f2b7a9e045', 'hex');

function formatUuid(bytes: Buffer, version: number): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

/** UUIDv5 of a name: the same name gives the same id, in any process. */
export function derivedId(name: string): string {
  return formatUuid(createHash('sha1').update(KUBEREEL_NAMESPACE).update(name).digest(), 5);
}

/** Shaped like a random UUID (version 4), as the API's uids are, yet a function of its name. */
export function derivedUid(name: string): string {
  return formatUuid(createHash('sha1').update(KUBEREEL_NAMESPACE).update('uid:').update(name).digest(), 4);
}

/** A number in [0, bound), a function of its name: chance that can be had again. */
export function derivedIndex(name: string, bound: number): number {
  return createHash('sha1').update(name).digest().readUInt32BE(0) % bound;
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters for a generated name, from upstream's alphabet (apimachinery `rand.String`). */
export function derivedSuffix(name: string, length = 5): string {
  const digest = createHash('sha1').update('suffix:').update(name).digest();
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += suffixAlphabet[(digest[i] as number) % suffixAlphabet.length];
  return suffix;
}
