import { isObject } from '#libs/kernel';
import type { Json } from '#libs/kernel';
import { goJson } from '../status';

/** Objects that upstream's patch library took apart: it writes their keys sorted, and everything else as it was. */
export type Opened = Set<object>;

/** A patched document as error texts quote it. */
export function quoted(document: Json, opened: Opened): string {
  return goJson(inOrder(document, opened));
}

/** A copy with the keys of opened objects sorted. */
export function inOrder(value: Json, opened: Opened): Json {
  if (Array.isArray(value)) return value.map((item) => inOrder(item, opened));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  if (opened.has(value)) entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item as Json, opened)]));
}
