import type { Json, JsonObject, KubeObject } from '#libs/kernel';
import type { BodyKind } from '../kinds/resource-kind';
import type { Definition, TypeRef } from '../schema';

/*
 * The store keeps objects in a form that knows no difference between an empty list and none at all. Where a field is written in any case,
 * `[]` has become null once it has been there. (Where it is not, it is left out before: that is the wire form.)
 */

const affected = new Map<Definition, Definition['fields']>();

/** The fields of a definition in which, or somewhere below which, an empty list may turn to null. */
function affectedFields(of: Definition): Definition['fields'] {
  const known = affected.get(of);
  if (known) return known;
  affected.set(of, []);
  const fields = of.fields.filter((field) => turnsToNull(field) || isAffected(field.ref));
  affected.set(of, fields);
  return fields;
}

const turnsToNull = ({ ref, always, pointer }: Definition['fields'][number]): boolean =>
  always && !pointer && (ref.type === 'list' || ref.type === 'map');

function isAffected(ref: TypeRef): boolean {
  if (ref.type === 'list') return isAffected(ref.item);
  if (ref.type === 'map') return isAffected(ref.value);
  return ref.type === 'struct' && affectedFields(ref.of).length > 0;
}

const isEmpty = (value: Json): boolean => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** The object as it is read back from the store, given in wire form; itself where nothing changes. */
export function storedForm({ schema }: BodyKind, object: KubeObject): KubeObject {
  return schema ? (structOf(schema, object as unknown as JsonObject) as unknown as KubeObject) : object;
}

function structOf(of: Definition, object: JsonObject): JsonObject {
  let changed: JsonObject | undefined;
  for (const field of affectedFields(of)) {
    const value = object[field.name];
    if (value === undefined || value === null) continue;
    const stored = turnsToNull(field) && isEmpty(value) ? null : valueOf(field.ref, value);
    if (stored !== value) (changed ??= { ...object })[field.name] = stored;
  }
  return changed ?? object;
}

function valueOf(ref: TypeRef, value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (ref.type === 'struct') return structOf(ref.of, value as JsonObject);
  if (ref.type === 'list' && Array.isArray(value) && isAffected(ref.item)) {
    const items = value.map((item) => valueOf(ref.item, item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (ref.type !== 'map' || !isAffected(ref.value)) return value;
  const entries = Object.entries(value as JsonObject).map(([key, item]) => [key, valueOf(ref.value, item as Json)] as const);
  return entries.some(([key, item]) => item !== (value as JsonObject)[key]) ? Object.fromEntries(entries) : value;
}
