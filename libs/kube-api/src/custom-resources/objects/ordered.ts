import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { setOwn } from '../../decode';

/** A copy with fields in the order of their names, as maps are written. Metadata is read by itself. */
export function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value).sort())
    if (value[name] !== undefined) setOwn(copy, name, name === 'managedFields' ? value[name] : ordered(value[name] as Json));
  return copy;
}
