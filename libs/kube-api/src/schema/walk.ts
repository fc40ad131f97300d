import { isObject } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import type { Definition } from './definition';
import type { Field, TypeRef } from './notation';

/** One value of an object met by a walk. */
export interface Visit {
  /** `spec.containers[0].image`; keys of maps in brackets as validation errors write them: `data[a]`. */
  readonly path: string;
  readonly value: Json;
  readonly ref: TypeRef;
  /** The field that holds the value, directly or through a list or map. */
  readonly field: Field;
}

/** Calls `visit` for every known field of an object and every element of its lists and maps, parents first. */
export function walkObject(of: Definition, object: JsonObject, visit: (visit: Visit) => void, path = ''): void {
  for (const field of of.fields) {
    const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined;
    if (value !== undefined) walkValue(field.ref, value, field, path === '' ? field.name : `${path}.${field.name}`, visit);
  }
}

function walkValue(ref: TypeRef, value: Json, field: Field, path: string, visit: (visit: Visit) => void): void {
  visit({ path, value, ref, field });
  if (ref.type === 'list' && Array.isArray(value)) {
    value.forEach((item, index) => walkValue(ref.item, item, field, `${path}[${index}]`, visit));
  } else if (ref.type === 'map' && isObject(value)) {
    for (const key of Object.keys(value)) walkValue(ref.value, value[key] as Json, field, `${path}[${key}]`, visit);
  } else if (ref.type === 'struct' && isObject(value)) {
    walkObject(ref.of, value, visit, path);
  }
}
