import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import type { Field, TypeRef } from '../schema';
import { setOwn, WrittenNumber } from './json-reader';

/** What a text gives for keys before their last value, by the object that they are in: `{"a":1,"a":2}` gives 1 for `a`. */
export type RepeatedKeys = ReadonlyMap<object, ReadonlyMap<string, readonly Json[]>>;

/**
 * What Go's decoder makes of a key that is there several times: it reads each value into what the one before it has left. Structs take the
 * fields of both, lists are filled over item by item, maps get the keys of both; null empties what can be empty and leaves the rest alone.
 */
export function readOver(field: Pick<Field, 'ref' | 'pointer'>, before: Json | undefined, value: Json): Json {
  if (before === undefined) return value;
  if (value === null) return field.pointer || !keepsItself(field.ref) ? null : before;
  return valueOver(field.ref, before, value);
}

/** Whether null says nothing to it. */
function keepsItself(ref: TypeRef): boolean {
  if (ref.type !== 'scalar') return ref.type === 'struct';
  return ['string', 'bool', 'int32', 'int64', 'double', 'intOrString'].includes(ref.scalar);
}

function valueOver(ref: TypeRef, before: Json, value: Json): Json {
  if (ref.type === 'list') {
    if (!Array.isArray(before) || !Array.isArray(value)) return value;
    return value.map((item, index) =>
      index < before.length ? readOver({ ref: ref.item, pointer: false }, before[index] as Json, item) : item,
    );
  }
  if (ref.type === 'scalar' || !isStruct(before) || !isStruct(value)) return value;
  const over = ownCopy(before);
  const byName = ref.type === 'struct' ? ref.of.byName : undefined;
  for (const key of Object.keys(value)) {
    const field = byName?.get(key);
    const known = field && Object.hasOwn(over, key) ? over[key] : undefined;
    setOwn(over, key, field ? readOver(field, known, value[key] as Json) : value[key]);
  }
  return over;
}

/** Objects made here, which nobody else holds: a key that is there a thousand times does not copy what came before a thousand times. */
const own = new WeakSet<object>();

function ownCopy(object: JsonObject): JsonObject {
  if (own.has(object)) return object;
  const copy: JsonObject = {};
  for (const key of Object.keys(object)) setOwn(copy, key, object[key]);
  own.add(copy);
  return copy;
}

const isStruct = (value: Json): value is JsonObject => isObject(value) && !(value instanceof WrittenNumber);
