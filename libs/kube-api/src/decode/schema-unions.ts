import { isObject, type Json, type JsonObject } from '#libs/kernel';
import { definition, type TypeRef } from '../schema';
import { WrittenNumber } from './json-reader';

/** Types of fields of a JSON schema that are one thing or another; Go has code of its own that reads each. */
type Union = 'v1.JSONSchemaPropsOrArray' | 'v1.JSONSchemaPropsOrBool';

/** What is given is none of the things that the type may be. */
export class UnionError extends Error {}

export function isUnion(goType: string): goType is Union {
  return goType === 'v1.JSONSchemaPropsOrArray' || goType === 'v1.JSONSchemaPropsOrBool';
}

const schemaName = 'apiextensions.v1.JSONSchemaProps';
const schemaRef: TypeRef = {
  type: 'struct',
  definition: schemaName,
  get of() {
    return definition(schemaName);
  },
};

/** How the value is read after a look at it, or what it is if that says all. @throws UnionError */
export function chooseOf(type: Union, value: Json): { ref: TypeRef } | { value: Json } {
  if (isObject(value) && !(value instanceof WrittenNumber)) return { ref: schemaRef };
  if (type === 'v1.JSONSchemaPropsOrArray') {
    return Array.isArray(value) && value.length > 0 ? { ref: { type: 'list', item: schemaRef } } : { value: null };
  }
  if (typeof value === 'boolean') return { value };
  throw new UnionError('boolean or JSON schema expected');
}

/** A value of any form, as it is written again after Go has held it: keys sorted. */
export function sortedJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const sorted: JsonObject = Object.create(null) as JsonObject;
  for (const key of Object.keys(value).sort()) sorted[key] = sortedJson(value[key] as Json);
  return { ...sorted };
}
