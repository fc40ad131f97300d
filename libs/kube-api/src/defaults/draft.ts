import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';

/** Defaulting works on a copy of its own: these read and fill parts of it. */
export function draftOf(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(draftOf);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== undefined) setOwn(copy, key, draftOf(value[key] as Json));
  return copy;
}

export function objectIn(holder: JsonObject, key: string): JsonObject | undefined {
  const value = holder[key];
  return isObject(value) ? value : undefined;
}

/** The objects of a list; none where there is no list. */
export function listIn(holder: JsonObject, key: string): JsonObject[] {
  const value = holder[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Sets what is absent (for fields that are pointers: a given zero stays). */
export function setAbsent(holder: JsonObject, key: string, value: Json): void {
  if (holder[key] === undefined || holder[key] === null) holder[key] = value;
}

/** Sets what is absent or zero (for fields that are no pointers: Go cannot tell the two). */
export function setEmpty(holder: JsonObject, key: string, value: Json): void {
  if (!holder[key]) holder[key] = value;
}
