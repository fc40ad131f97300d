import { int64Max, type Json } from '#libs/kernel';

/** What JSON says, for `jsonText` to write again: the largest int64, which no number here holds, stays what it is. */
export function jsonValue(json: string): Json {
  if (!json.includes('9223372036854775807')) return JSON.parse(json) as Json;
  return JSON.parse(json, (_, item: unknown) => (item === 2 ** 63 ? int64Max : item)) as Json;
}
