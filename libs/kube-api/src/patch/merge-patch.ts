import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import type { Opened } from './quoted';

/**
 * RFC 7386: objects merge, null deletes, everything else replaces. Neither argument is changed.
 * @param opened is told the objects that were taken apart for it
 */
export function applyMergePatch(target: Json | undefined, patch: Json, opened?: Opened): Json {
  if (!isObject(target)) return withoutNulls(patch, opened);
  if (!isObject(patch)) return patch;
  const merged: JsonObject = {};
  for (const key of Object.keys(target)) {
    if (!Object.hasOwn(patch, key)) setOwn(merged, key, target[key]);
    else if (patch[key] !== null) setOwn(merged, key, applyMergePatch(target[key], patch[key] as Json, opened));
  }
  for (const key of Object.keys(patch)) {
    if (patch[key] !== null && !Object.hasOwn(target, key)) setOwn(merged, key, withoutNulls(patch[key] as Json, opened));
  }
  opened?.add(merged);
  return merged;
}

/** What is new loses its nulls, also in the objects of its lists. */
function withoutNulls(value: Json, opened: Opened | undefined): Json {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, opened));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(kept, key, withoutNulls(value[key] as Json, opened));
  opened?.add(kept);
  return kept;
}
