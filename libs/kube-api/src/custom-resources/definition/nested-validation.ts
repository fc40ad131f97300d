import { forbidden, invalidValue } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import { isGiven } from './held-values';
import { patternProblem } from './patterns';
import { entriesOf, itemsOf, propertyOf, wordsOf, type GivenSchema } from './given-schema';

/** `anyOf: [{type: integer}, {type: string}]`, which int-or-string is allowed to say though it tells types. */
function isIntOrString(choices: readonly GivenSchema[] | null | undefined): boolean {
  return choices?.length === 2 && ['integer', 'string'].every((type, index) => isOnlyType(choices[index] as GivenSchema, type));
}

function isOnlyType(schema: GivenSchema, type: string): boolean {
  const { externalDocs: _docs, example: _example, type: own, ...rest } = schema;
  return own === type && !wordsOf(rest).some((word) => isGiven(rest, word));
}

/** What is checked of values, beside their form. `tellsTypes`: its `anyOf` may. */
export function validateConditionsOnValues(schema: GivenSchema, field: string, errors: Errors): void {
  const { anyOf, allOf } = schema;
  const skipped = { anyOf: isIntOrString(anyOf), ofFirstAllOf: isIntOrString(allOf?.[0]?.anyOf) };
  validateJunctions(schema, skipped, field, errors);
}

interface Skipped {
  anyOf: boolean;
  ofFirstAllOf: boolean;
}

const nothingSkipped: Skipped = { anyOf: false, ofFirstAllOf: false };

function validateJunctions(schema: GivenSchema, skipped: Skipped, field: string, errors: Errors): void {
  const { anyOf, allOf, oneOf, not, pattern } = schema;
  if (!skipped.anyOf)
    for (const [index, inner] of (anyOf ?? []).entries()) validateNested(inner, false, `${field}.anyOf[${index}]`, errors);
  for (const [index, inner] of (allOf ?? []).entries()) {
    validateNested(inner, skipped.ofFirstAllOf && index === 0, `${field}.allOf[${index}]`, errors);
  }
  for (const [index, inner] of (oneOf ?? []).entries()) validateNested(inner, false, `${field}.oneOf[${index}]`, errors);
  if (not) validateNested(not, false, `${field}.not`, errors);
  const problem = pattern ? patternProblem(pattern) : undefined;
  if (problem !== undefined) {
    errors.push(invalidValue(`${field}.pattern`, pattern, `must be a valid regular expression, but isn't: ${problem}`));
  }
}

/** What stands only where the form is told: the field, and how its text ends. */
const ofForm: readonly (readonly [keyof GivenSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Of texts and lists empty is none, of switches false; `x-kubernetes-list-type: ""` is given. */
function isUsed(schema: GivenSchema, field: keyof GivenSchema): boolean {
  const value = schema[field];
  if (value === undefined || value === null) return false;
  if (field === 'default') return true;
  if (value === false) return false;
  if (field === 'type' || field === 'title' || field === 'description') return value !== '';
  return field !== 'x-kubernetes-list-map-keys' && field !== 'x-kubernetes-validations' ? true : (value as unknown[]).length > 0;
}

/** A schema below `allOf`, `anyOf`, `oneOf` or `not` says nothing of forms. */
function validateNested(schema: GivenSchema, skipsAnyOf: boolean, field: string, errors: Errors): void {
  validateJunctions(schema, skipsAnyOf ? { ...nothingSkipped, anyOf: true } : nothingSkipped, field, errors);
  const items = itemsOf(schema);
  if (items) validateNested(items, false, `${field}.items`, errors);
  for (const [name, property] of entriesOf(schema.properties)) validateNested(property, false, `${field}.properties[${name}]`, errors);
  for (const [name, text] of ofForm) if (isUsed(schema, name)) errors.push(forbidden(`${field}.${name}`, text));
  if (propertyOf(schema, 'metadata')) {
    errors.push(forbidden(`${field}.properties[metadata]`, 'must not be specified in a nested context'));
  }
}
