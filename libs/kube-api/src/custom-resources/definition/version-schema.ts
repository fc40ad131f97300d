import { forbidden, invalidValue } from '../../status/field-error';
import type { Errors } from '../../validation/values';
import type { Schema } from '../schema';
import { validateDefaults } from './defaults-check';
import type { GivenSchema } from './given-schema';
import type { HeldSchema } from './held-spec';
import { isGiven, schemaValue } from './held-values';
import type { DefinitionRules } from './options';
import { costText, schemaCostMax } from './rule-costs';
import { RuleScope } from './rule-scope';
import { checkSchema } from './schema-check';
import { validateStructural } from './structural';
import { structuralProblem } from './structural-form';

/** What is known of the versions that a schema is for. */
export interface SchemaUse {
  readonly rules: DefinitionRules;
  /** Their status is written apart. */
  readonly hasStatus: boolean;
  /** The schema is as it was before the update. */
  readonly isUnchanged: boolean;
}

/** The schema of a version, or of all, at `FIELD.openAPIV3Schema` (upstream `validateCustomResourceDefinitionValidation`). */
export function validateVersionSchema({ openAPIV3Schema: schema }: HeldSchema, field: string, use: SchemaUse, errors: Errors): void {
  if (!schema) return;
  const at = `${field}.openAPIV3Schema`;
  const before = errors.length;
  if (use.hasStatus) validateRootForStatus(schema, at, errors);
  if (schema.nullable) errors.push(forbidden(`${at}.nullable`, 'nullable cannot be true at the root'));
  const problem = use.rules.structural ? structuralProblem(schema) : undefined;
  const isStructural = use.rules.structural && problem === undefined && isSoundStructure(schema, at, use.rules, errors);
  // Rules are compiled only against types that are known to be sound.
  const scope = isStructural ? RuleScope.root(schema, use.isUnchanged) : undefined;
  errors.push(...checkSchema(schema, at, use.rules, scope));
  // What cannot be read as a structural schema has most likely been told of already.
  if (problem !== undefined && errors.length === before) errors.push(invalidValue(at, '', problem));
  if (scope && scope.total.total > schemaCostMax) {
    const text = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    for (const expensive of scope.total.mostExpensive) errors.push(forbidden(expensive, text));
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    errors.push(forbidden(at, costText(name, scope.total.total, schemaCostMax)));
  }
}

function isSoundStructure(schema: GivenSchema, at: string, { prunedDefaults }: DefinitionRules, errors: Errors): boolean {
  const found: Errors = validateStructural(schema, at);
  if (found.length === 0) validateDefaults(schema as Schema, at, prunedDefaults, found);
  errors.push(...found);
  return found.length === 0;
}

/** Words that a schema may have at its root where `properties.status` is taken out of it: those that are not lost by that. */
const allowedAtRoot: readonly (readonly [string, keyof GivenSchema])[] = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
];
const allowed: ReadonlySet<string> = new Set(allowedAtRoot.map(([, name]) => name));
/** In Go's order these come before the type: what is wrong with them is found first, and nothing else then. */
const beforeType: readonly (keyof GivenSchema)[] = ['id', '$schema', '$ref'];

function validateRootForStatus(schema: GivenSchema, at: string, errors: Errors): void {
  const isForbidden = (name: string): boolean => !allowed.has(name) && isGiven(schema, name as keyof GivenSchema);
  const isOtherType = Boolean(schema.type) && schema.type !== 'object';
  if (isOtherType && !beforeType.some(isForbidden)) {
    const text = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    errors.push(invalidValue(`${at}.type`, schema.type, text));
  } else if (Object.keys(schema).some(isForbidden)) {
    const names = allowedAtRoot.map(([name]) => name).join(' ');
    const text = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalidValue(at, schemaValue(schema), text));
  }
}
