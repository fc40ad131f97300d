import { hash } from 'node:crypto';

/** Namespace of every id kubereel derives (a fixed random UUID). */
const KUBEREEL_NAMESPACE = Buffer.from('6f0b5f6e3f0c4b63a8c1d1f2b7a9e045', 'hex');

const variants = '89ab';

/** SHA-1 of namespace and name, laid out as a UUID. One call to the hash: ids are derived for every event. */
function uuidOf(name: string, version: number): string {
  const hex = hash('sha1', Buffer.concat([KUBEREEL_NAMESPACE, Buffer.from(name)]), 'hex');
  const variant = variants[parseInt(hex[16] as string, 16) & 3] as string;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** UUIDv5 of a name: the same name gives the same id, in any process. */
export function derivedId(name: string): string {
  return uuidOf(name, 5);
}

/** Shaped like a random UUID (version 4), as the API's uids are, yet a function of its name. */
export function derivedUid(name: string): string {
  return uuidOf(`uid:${name}`, 4);
}

/** A number in [0, bound), a function of its name: chance that can be had again. */
export function derivedIndex(name: string, bound: number): number {
  return parseInt(hash('sha1', name, 'hex').slice(0, 8), 16) % bound;
}

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Five characters for a generated name, from upstream's alphabet (apimachinery `rand.String`). */
export function derivedSuffix(name: string, length = 5): string {
  const digest = hash('sha1', `suffix:${name}`, 'buffer');
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += suffixAlphabet[(digest[i] as number) % suffixAlphabet.length];
  return suffix;
}

/** MD5 of a text, in hexadecimal digits: where upstream sorts or names things by it. */
export function md5(text: string): string {
  return hash('md5', text, 'hex');
}
