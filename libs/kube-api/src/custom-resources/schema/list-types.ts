import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { sortedJson } from '../../decode/schema-unions';
import { duplicate, invalidValue, type FieldError } from '../../status/field-error';
import { propertyOf, valuesOf, type Schema } from './schema';

/** That sets hold every item once, and lists of type `map` no two items with the same keys. @param path of the value; empty: a whole object */
export function validateListTypes(schema: Schema, value: Json, path = ''): FieldError[] {
  if (Array.isArray(value)) return [...ofList(schema, value, path), ...ofItems(schema, value, path)];
  if (!isObject(value)) return [];
  const values = valuesOf(schema);
  return Object.keys(value).flatMap((name) => {
    const property = propertyOf(schema, name);
    const member = value[name] as Json;
    if (property) return validateListTypes(property, member, path === '' ? name : `${path}.${name}`);
    return values ? validateListTypes(values, member, `${path}[${name}]`) : [];
  });
}

function ofItems({ items }: Schema, values: readonly Json[], path: string): FieldError[] {
  return items ? values.flatMap((value, index) => validateListTypes(items, value, `${path}[${index}]`)) : [];
}

function ofList(schema: Schema, values: readonly Json[], path: string): FieldError[] {
  const at = (index: number): string => `${path}[${index}]`;
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return repeated(values).map((index) => duplicate(at(index), values[index]));
    case 'map': {
      const strange = values.findIndex((value) => value !== null && !isObject(value));
      if (strange >= 0) return [invalidValue(at(strange), values[strange], 'must be an object for an array of list-type map')];
      const keys = values.map((value) => keysOf(schema, value));
      return repeated(keys).map((index) => duplicate(at(index), keys[index]));
    }
    default:
      return [];
  }
}

function keysOf(schema: Schema, value: Json): JsonObject {
  const keys: JsonObject = {};
  for (const name of schema['x-kubernetes-list-map-keys'] ?? [])
    if (isObject(value) && Object.hasOwn(value, name)) keys[name] = value[name] as Json;
  return keys;
}

/** Where each of the values that are there several times comes for the second time. */
function repeated(values: readonly Json[]): number[] {
  const counts = new Map<string, number>();
  const found: number[] = [];
  values.forEach((value, index) => {
    const text = JSON.stringify(sortedJson(value));
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count === 2) found.push(index);
  });
  return found;
}
