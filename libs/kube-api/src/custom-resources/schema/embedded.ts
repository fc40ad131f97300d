import { isObject, type Json, type JsonObject, type ObjectMeta } from '#libs/kernel';
import { convert, kindOfJson } from '../../decode';
import { definition } from '../../schema';
import { invalidValue, required, type FieldError } from '../../status/field-error';
import { isDns1035Label, isPathSegmentName } from '../../validation/formats';
import { validateMetadata } from '../../validation/metadata';
import type { Errors } from '../../validation/values';
import { memberOf, propertyOf, type Schema } from './schema';

export type ReadMetadata = { readonly metadata: JsonObject; readonly unknown: readonly string[] } | { readonly error: string };

/** Metadata as Go reads it. */
export function readMetadata(value: Json): ReadMetadata {
  if (value === null) return { metadata: {}, unknown: [] };
  if (!isObject(value)) return { error: `json: cannot unmarshal ${kindOfJson(value)} into Go value of type v1.ObjectMeta` };
  const { object, strict, error } = convert(definition('meta.v1.ObjectMeta'), value);
  if (error !== undefined) return { error };
  // Whoever asks for what is unknown names it by its place in the whole.
  return { metadata: object, unknown: strict.map((text) => text.slice(text.indexOf('"') + 1, -1)) };
}

/**
 * Reads the metadata of what is embedded in an object, in place.
 * @returns what is wrong with one of them; otherwise what was unknown in them, by its path
 */
export function readEmbedded(schema: Schema | undefined, draft: Json, path = ''): { unknown: string[]; error?: FieldError } {
  const unknown: string[] = [];
  if (!schema) return { unknown };
  if (Array.isArray(draft)) {
    for (const [index, item] of draft.entries()) {
      const found = readEmbedded(schema.items, item, `${path}[${index}]`);
      if (found.error) return found;
      unknown.push(...found.unknown);
    }
    return { unknown };
  }
  if (!isObject(draft)) return { unknown };
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const name of Object.keys(draft)) {
    const value = draft[name] as Json;
    if (schema['x-kubernetes-embedded-resource']) {
      if ((name === 'apiVersion' || name === 'kind') && typeof value !== 'string')
        return { unknown, error: invalidValue(below(name), value, 'must be a string') };
      if (name === 'metadata') {
        const read = readMetadata(value);
        if ('error' in read) return { unknown, error: invalidValue(below(name), value, read.error) };
        draft[name] = read.metadata;
        unknown.push(...read.unknown.map((field) => `${below(name)}.${field}`));
      }
    }
    const found = readEmbedded(memberOf(schema, name), draft[name] as Json, below(name));
    if (found.error) return found;
    unknown.push(...found.unknown);
  }
  return { unknown: unknown.sort() };
}

/** That what is embedded says what it is, and has metadata as every object has. */
export function validateEmbedded(schema: Schema | undefined, value: Json, path = ''): FieldError[] {
  if (!schema) return [];
  if (Array.isArray(value)) return value.flatMap((item, index) => validateEmbedded(schema.items, item, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const own = schema['x-kubernetes-embedded-resource'] ? ofResource(value, path) : [];
  const below = Object.keys(value).flatMap((name) => {
    const at = propertyOf(schema, name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${name}]`;
    return validateEmbedded(memberOf(schema, name), value[name] as Json, at);
  });
  return [...own, ...below];
}

function ofResource(object: JsonObject, path: string): FieldError[] {
  const errors: Errors = [];
  for (const name of ['apiVersion', 'kind'] as const) {
    const field = `${path}.${name}`;
    const value = object[name];
    if (value === undefined) errors.push(required(field));
    else if (typeof value !== 'string') errors.push(invalidValue(field, value, 'must be a string'));
    else if (value === '') errors.push(invalidValue(field, value, 'must not be empty'));
    else if (name === 'apiVersion') {
      if (value.split('/').length > 2) errors.push(invalidValue(field, value, `unexpected GroupVersion string: ${value}`));
    } else {
      const problems = isDns1035Label(value.toLowerCase());
      if (problems.length > 0)
        errors.push(invalidValue(field, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`));
    }
  }
  return object['metadata'] === undefined ? errors : [...errors, ...ofMetadata(object['metadata'], path)];
}

function ofMetadata(value: Json, path: string): FieldError[] {
  const read = readMetadata(value);
  if ('error' in read) return [invalidValue(`${path}.metadata`, value, read.error)];
  const metadata = read.metadata as unknown as ObjectMeta;
  const errors: Errors = [];
  const rules = { namespaced: Boolean(metadata.namespace), name: isPathSegmentName, qualifiedFinalizers: false };
  // What is embedded need not have a name.
  validateMetadata({ ...metadata, name: metadata.name || 'fakename' }, rules, errors);
  return errors.map((error) => ({ ...error, field: `${path}.${error.field}` }));
}
