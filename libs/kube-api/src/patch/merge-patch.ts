import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';

/** RFC 7386: objects merge, null deletes, everything else replaces. Neither argument is changed. */
export function applyMergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = {};
  const base = isObject(target) ? target : {};
  for (const key of Object.keys(base)) {
    if (!Object.hasOwn(patch, key)) setOwn(merged, key, base[key]);
    else if (patch[key] !== null) setOwn(merged, key, applyMergePatch(base[key], patch[key] as Json));
  }
  for (const key of Object.keys(patch)) {
    if (patch[key] !== null && !Object.hasOwn(base, key)) setOwn(merged, key, applyMergePatch(undefined, patch[key] as Json));
  }
  return merged;
}
