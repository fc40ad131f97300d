import { fieldErrorText, forbidden, invalidValue, required, type FieldError } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import { validateCompleteness } from './completeness';
import { entriesOf, itemsOf, propertyOf, valuesOf, wordsOf, type GivenSchema } from './given-schema';
import { isGiven } from './held-values';
import { validateConditionsOnValues } from './nested-validation';

/** Where a schema stands: of a whole object, of the items of a list, of a field. */
type Place = 'root' | 'items' | 'field';

/**
 * Whether a schema tells the form of every value apart from what is checked of it (upstream `ValidateStructural`). For schemas that
 * `structuralProblem` has nothing against.
 * @returns sorted by their texts
 */
export function validateStructural(schema: GivenSchema, field: string): FieldError[] {
  const errors: Errors = [];
  validateForm(schema, 'root', field, errors);
  validateCompleteness(schema, field, errors);
  return errors
    .map((error) => ({ error, text: fieldErrorText(error) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ error }) => error);
}

function validateForm(schema: GivenSchema, place: Place, field: string, errors: Errors): void {
  const items = itemsOf(schema);
  if (schema.type === 'array' && !items) errors.push(required(`${field}.items`, 'must be specified'));
  if (items) validateForm(items, 'items', `${field}.items`, errors);
  for (const [name, property] of entriesOf(schema.properties)) validateForm(property, 'field', `${field}.properties[${name}]`, errors);
  validateValuesForm(schema, place, field, errors);
  validateExtensions(schema, field, errors);
  validateConditionsOnValues(schema, field, errors);
  validateType(schema, place, field, errors);
  const isWhole = place === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  validateOwnMetadata(schema, isWhole, place, field, errors);
}

/** Values of a map. */
function validateValuesForm(schema: GivenSchema, place: Place, field: string, errors: Errors): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined || additionalProperties === null) return;
  if (place === 'root') errors.push(forbidden(`${field}.additionalProperties`, 'must not be used at the root'));
  const values = valuesOf(schema);
  if (values) validateForm(values, 'field', `${field}.additionalProperties`, errors);
}

/** What is an integer or a text is nothing else. */
function validateExtensions(schema: GivenSchema, field: string, errors: Errors): void {
  if (!schema['x-kubernetes-int-or-string']) return;
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name]) errors.push(invalidValue(`${field}.${name}`, true, 'must be false if x-kubernetes-int-or-string is true'));
  }
}

const untyped: Readonly<Record<Place, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(schema: GivenSchema, place: Place, field: string, errors: Errors): void {
  const type = schema.type ?? '';
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const isOfAnyType = schema['x-kubernetes-int-or-string'] || schema['x-kubernetes-preserve-unknown-fields'];
  if (isEmbedded && type !== 'object') {
    const text = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(`${field}.type`, text) : invalidValue(`${field}.type`, type, text));
  } else if (type === '' && !isOfAnyType) errors.push(required(`${field}.type`, untyped[place]));
  if (isEmbedded && isSetAtAll(schema.additionalProperties)) {
    errors.push(forbidden(`${field}.additionalProperties`, 'must not be used if x-kubernetes-embedded-resource is set'));
  }
  if (place === 'root' && type !== '' && type !== 'object') errors.push(invalidValue(`${field}.type`, type, 'must be object at the root'));
}

const isSetAtAll = (value: unknown): boolean => value !== undefined && value !== null;

/** What every object has is not to be told otherwise by its schema. */
function validateOwnMetadata(schema: GivenSchema, isWhole: boolean, place: Place, field: string, errors: Errors): void {
  for (const name of ['kind', 'apiVersion']) {
    const property = propertyOf(schema, name);
    if (isWhole && property && property.type !== 'string') {
      errors.push(invalidValue(`${field}.properties[${name}].type`, property.type ?? '', 'must be string'));
    }
  }
  const metadata = propertyOf(schema, 'metadata');
  if (metadata) validateMetadataSchema(metadata, isWhole, place, `${field}.properties[metadata]`, errors);
  const isEmpty = entriesOf(schema.properties).length === 0;
  if (schema['x-kubernetes-embedded-resource'] && !schema['x-kubernetes-preserve-unknown-fields'] && isEmpty) {
    const text = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(`${field}.properties`, text));
  }
}

/** At the root the names may be restricted, and nothing else of the metadata. */
function validateMetadataSchema(metadata: GivenSchema, isWhole: boolean, place: Place, field: string, errors: Errors): void {
  if (isWhole && metadata.type !== 'object') errors.push(invalidValue(`${field}.type`, metadata.type ?? '', 'must be object'));
  if (place !== 'root') return;
  const { type: _type, default: _default, externalDocs: _docs, example: _example, properties, ...rest } = metadata;
  const restricts = Object.keys(properties ?? {}).some((name) => name !== 'name' && name !== 'generateName');
  if (restricts || wordsOf(rest).some((word) => isGiven(rest, word))) {
    errors.push(forbidden(field, 'must not specify anything other than name and generateName, but metadata is implicitly specified'));
  }
}
