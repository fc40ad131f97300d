import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  objectType,
  stringType,
  timestampType,
} from '../types/type';
import { DeclaredType } from './declared-type';
import { escapeName } from './names';
import { valuesOf, withObjectMeta, type Schema } from './schema';

/** Bytes of the largest request, which bounds what a schema leaves open. */
export const requestBytesMax = 3 * 1024 * 1024;

/**
 * The type of values of a schema, with sizes; undefined where the schema has none. Objects in it are named by their way from the root.
 * @param isWhole a whole object: with `kind`, `apiVersion` and `metadata`
 */
export function declareType(schema: Schema, name: string, isWhole = false): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) return new DeclaredType(dynType, textMax(schema, requestBytesMax - 2), 1);
  switch (schema.type) {
    case 'array':
      return schema.items && declareList(schema, schema.items, name);
    case 'object':
      return valuesOf(schema)
        ? declareMap(schema, valuesOf(schema) as Schema, name)
        : declareObject(isWhole ? withObjectMeta(schema) : schema, name);
    case 'string':
      return declareText(schema);
    case 'boolean':
      return new DeclaredType(boolType, 0, 4);
    case 'number':
      return new DeclaredType(doubleType, 0, 1);
    case 'integer':
      return new DeclaredType(intType, 0, 1);
    default:
      return undefined;
  }
}

const isEmbedded = (schema: Schema): boolean => schema['x-kubernetes-embedded-resource'] === true;

function declareList({ maxItems }: Schema, items: Schema, name: string): DeclaredType | undefined {
  const element = declareType(items, `${name}.@idx`, isEmbedded(items));
  if (!element) return undefined;
  const most = maxItems === undefined ? Math.floor((requestBytesMax - 2) / (element.least + 1)) : Math.max(0, maxItems);
  return new DeclaredType(listOf(element.type), most, 2, undefined, undefined, element);
}

function declareMap({ maxProperties }: Schema, values: Schema, name: string): DeclaredType | undefined {
  const element = declareType(values, `${name}.@elem`, isEmbedded(values));
  if (!element) return undefined;
  const most = maxProperties === undefined ? Math.floor((requestBytesMax - 2) / (element.least + 6)) : Math.max(0, maxProperties);
  // Keys are not measured: upstream's type of them has no size.
  const key = new DeclaredType(stringType, 0, 2);
  return new DeclaredType(mapOf(stringType, element.type), most, 2, undefined, key, element);
}

function declareObject({ properties = {}, required = [] }: Schema, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let least = 2;
  for (const [property, schema] of Object.entries(properties)) {
    const escaped = escapeName(property);
    const field = declareType(schema, `${name}.${escaped ?? property}`, isEmbedded(schema));
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(property) && schema.default === undefined) least += new TextEncoder().encode(property).length + field.least + 4;
  }
  return new DeclaredType(objectType(name), 0, least, fields);
}

const timeMax = 32;
const dateMax = 12;

function declareText(schema: Schema): DeclaredType {
  switch (schema.format) {
    case 'byte':
      return new DeclaredType(bytesType, schema.maxLength === undefined ? requestBytesMax - 2 : Math.max(0, schema.maxLength), 2);
    case 'duration':
      return new DeclaredType(durationType, timeMax, 3);
    case 'date':
      return new DeclaredType(timestampType, dateMax, 12);
    case 'date-time':
      return new DeclaredType(timestampType, timeMax, 21);
    default:
      return new DeclaredType(stringType, textMax(schema, enumMax(schema) ?? requestBytesMax - 2), 2);
  }
}

/** A character may take four bytes. */
function textMax({ maxLength }: Schema, otherwise: number): number {
  return maxLength === undefined ? otherwise : Math.max(0, maxLength) * 4;
}

function enumMax({ enum: values }: Schema): number | undefined {
  if (!values || values.length === 0) return undefined;
  return Math.max(0, ...values.map((value) => (typeof value === 'string' ? new TextEncoder().encode(value).length : 0)));
}
