import { forbidden, invalidValue, required, unsupported } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import type { FieldError } from '../../status/field-error';
import { itemListOf, itemsOf, propertyOf, type GivenSchema } from './given-schema';
import { itemsQuoted } from './held-values';

/** Of the items of a set: the field that says that they are compared part by part, rather than as a whole. */
export function nonAtomicSetField(schema: GivenSchema): 'x-kubernetes-list-type' | 'x-kubernetes-map-type' | undefined {
  const items = itemsOf(schema);
  if (schema['x-kubernetes-list-type'] !== 'set' || !items) return undefined;
  const listType = items['x-kubernetes-list-type'];
  if (items.type === 'array' && listType !== undefined && listType !== null && listType !== 'atomic') return 'x-kubernetes-list-type';
  return items.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic' ? 'x-kubernetes-map-type' : undefined;
}

/** Items of sets and maps are there, and so are the keys of those of maps. */
export function keysProblems(schema: GivenSchema, field: string): FieldError[] {
  const items = itemsOf(schema);
  const type = schema['x-kubernetes-list-type'];
  if (!items || (type !== 'set' && type !== 'map')) return [];
  const errors: Errors = [];
  if (items.nullable) errors.push(forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${type}`));
  if (type === 'set') return errors;
  for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
    const property = propertyOf(items, key);
    if (!property) continue;
    const at = `${field}.items.properties[${key}]`;
    const hasDefault = property.default !== undefined && property.default !== null;
    if (!items.required?.includes(key) && !hasDefault) {
      const text = 'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(`${at}.default`, text));
    }
    if (property.nullable) {
      errors.push(forbidden(`${at}.nullable`, 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable'));
    }
  }
  return errors;
}

const isSet = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;

/** What a schema says of how lists and maps are merged. */
export function validateMergeTypes(schema: GivenSchema, field: string, requiresAtomicSets: boolean, errors: Errors): void {
  const mapType = schema['x-kubernetes-map-type'];
  const listType = schema['x-kubernetes-list-type'];
  if (isSet(mapType)) {
    if (schema.type !== 'object') errors.push(typeError(schema, field, 'must be object if x-kubernetes-map-type is specified'));
    const known = ['atomic', 'granular'];
    if (!known.includes(mapType)) errors.push(unsupported(`${field}.x-kubernetes-map-type`, mapType, known));
  }
  if (isSet(listType) && schema.type !== 'array') {
    errors.push(typeError(schema, field, 'must be array if x-kubernetes-list-type is specified'));
  } else if (requiresAtomicSets) {
    const nonAtomic = nonAtomicSetField(schema);
    // Upstream quotes the items' list type in either case.
    const value = itemsOf(schema)?.['x-kubernetes-list-type'];
    const text = 'must be atomic as item of a list with x-kubernetes-list-type=set';
    if (nonAtomic) errors.push(invalidValue(`${field}.items.${nonAtomic}`, value, text));
  }
  const known = ['atomic', 'set', 'map'];
  if (isSet(listType) && !known.includes(listType)) errors.push(unsupported(`${field}.x-kubernetes-list-type`, listType, known));
  validateListKeys(schema, field, errors);
}

function typeError({ type = '' }: GivenSchema, field: string, text: string): FieldError {
  return type === '' ? required(`${field}.type`, text) : invalidValue(`${field}.type`, type, text);
}

function validateListKeys(schema: GivenSchema, field: string, errors: Errors): void {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${field}.x-kubernetes-list-type`;
    errors.push(isSet(listType) ? invalidValue(at, listType, text) : required(at, text));
  }
  if (listType !== 'map') return;
  const items = itemsOf(schema);
  if (keys.length === 0) errors.push(required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  if (schema.items === undefined) errors.push(required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  else if (!items) {
    errors.push(invalidValue(`${field}.items`, itemsQuoted(schema), 'must only have a single schema if x-kubernetes-list-type is map'));
  }
  if (!items || itemListOf(schema).length > 0) return;
  if (items.type !== 'object') {
    errors.push(invalidValue(`${field}.items.type`, items.type ?? '', "must be object if parent array's x-kubernetes-list-type is map"));
  } else validateKeyProperties(items, keys, field, errors);
}

function validateKeyProperties(items: GivenSchema, keys: readonly string[], field: string, errors: Errors): void {
  const seen = new Set<string>();
  const atKeys = `${field}.x-kubernetes-list-map-keys`;
  for (const key of keys) {
    const property = propertyOf(items, key);
    if (!property) errors.push(invalidValue(atKeys, keys, 'entries must all be names of item properties'));
    else if (property.type === 'array' || property.type === 'object') {
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${field}.items.properties[${key}].type`, items.type, text));
    }
    if (seen.has(key)) errors.push(invalidValue(atKeys, keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
}
