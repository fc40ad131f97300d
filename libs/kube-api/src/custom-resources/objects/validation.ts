import { type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import type { KindValidation } from '../../kinds/behaviour';
import { invalidValue, type FieldError, type FieldErrorType } from '../../status/field-error';
import { isDnsSubdomain, isQualifiedName } from '../../validation/formats';
import { validateAnyMetadataUpdate, validateMetadata } from '../../validation/metadata';
import type { Errors } from '../../validation/values';
import {
  Correlation,
  propertyOf,
  hasRules,
  validateEmbedded,
  validateListTypes,
  validateRules,
  validateValue,
  type Schema,
} from '../schema';
import { nestedValue } from './nested';
import type { ScalePaths } from '../../strategy/scale';

/** What the rules of a custom kind look at. */
export interface CustomKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly schema: Schema;
  readonly scale?: ScalePaths;
}

/** What an update was let pass with since it was so before; told as warnings. */
const tolerated = new WeakMap<KubeObject, readonly string[]>();

export function customValidation(custom: CustomKind): KindValidation {
  const { namespaced, schema } = custom;
  const whole = (object: KubeObject): JsonObject => wholeOf(custom, object);
  return {
    create: (object, errors) => {
      const value = whole(object);
      const found = ofKind(custom, object, () => {
        const own: Errors = [];
        validateMetadata(object.metadata, { namespaced, name: isDnsSubdomain, qualifiedFinalizers: false }, own);
        return [...own, ...validateValue(schema, value), ...validateScale(custom, object)];
      });
      found.push(...validateEmbedded(schema, value), ...validateListTypes(schema, value));
      withRules(schema, found, () => validateRules(schema, value).errors);
      errors.push(...found);
    },
    update: (updated, old, errors) => {
      const [value, before] = [whole(updated), whole(old)];
      const correlation = new Correlation(value, before, schema);
      const found = ofKind(custom, updated, () => {
        const own: Errors = [];
        validateAnyMetadataUpdate(updated.metadata, old.metadata, own);
        return [...own, ...validateValue(schema, value, { correlation }), ...validateScale(custom, updated)];
      });
      found.push(...validateEmbedded(schema, value), ...newListErrors(schema, value, before));
      withRules(schema, found, () => rulesOfUpdate(custom, updated, value, before, correlation));
      errors.push(...found);
    },
    subresources: {
      status: (updated, old, errors) => {
        const [value, before] = [whole(updated), whole(old)];
        const correlation = new Correlation(value, before, schema);
        const found: Errors = [];
        validateAnyMetadataUpdate(updated.metadata, old.metadata, found);
        const statusSchema = propertyOf(schema, 'status');
        if (statusSchema && value['status'] !== undefined) {
          const own = correlation.key('status') ?? new Correlation(value['status'], before['status'] ?? null, statusSchema);
          found.push(...validateValue(statusSchema, value['status'] as Json, { field: 'status', correlation: own }));
        }
        found.push(...validateScaleStatus(custom, updated), ...newListErrors(schema, value, before));
        withRules(schema, found, () => rulesOfUpdate(custom, updated, value, before, correlation));
        errors.push(...found);
      },
    },
  };
}

/** An object of another kind is held to nothing else of this one's. */
function ofKind({ kind }: CustomKind, object: KubeObject, rules: () => Errors): Errors {
  const { kind: given } = object;
  return given === undefined || given === kind ? rules() : [invalidValue('kind', given, `must be ${kind}`)];
}

/** As it is written, with kind and version, which schemas and rules may look at. */
function wholeOf({ kind, apiVersion }: CustomKind, object: KubeObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, kind: object.kind ?? kind, apiVersion: object.apiVersion ?? apiVersion, metadata } as unknown as JsonObject;
}

/** Findings after which rules make no sense. */
const blocking: ReadonlySet<FieldErrorType> = new Set<FieldErrorType>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const unchecked =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

function withRules(schema: Schema, found: Errors, rules: () => readonly FieldError[]): void {
  if (!hasRules(schema)) return;
  if (found.some(({ type }) => blocking.has(type))) found.push(invalidValue('<nil>', null, unchecked));
  else found.push(...rules());
}

function rulesOfUpdate(
  { schema }: CustomKind,
  updated: KubeObject,
  value: JsonObject,
  old: JsonObject,
  correlation: Correlation,
): readonly FieldError[] {
  const { errors, warnings } = validateRules(schema, value, { old, correlation });
  tolerated.set(updated, warnings);
  return errors;
}

/** Lists that were wrong before are not looked at. */
function newListErrors(schema: Schema, value: JsonObject, old: JsonObject): FieldError[] {
  const errors = validateListTypes(schema, value);
  return errors.length > 0 && validateListTypes(schema, old).length > 0 ? [] : errors;
}

const int32Max = 2 ** 31 - 1;

function validateScale(custom: CustomKind, object: KubeObject): FieldError[] {
  if (!custom.scale) return [];
  return [...replicasErrors(object, custom.scale.specReplicasPath), ...validateScaleStatus(custom, object)];
}

function validateScaleStatus({ scale }: CustomKind, object: KubeObject): FieldError[] {
  if (!scale) return [];
  const { statusReplicasPath, labelSelectorPath } = scale;
  const errors = replicasErrors(object, statusReplicasPath);
  const selector = labelSelectorPath ? nestedValue(object, labelSelectorPath, 'string') : { value: undefined };
  if ('error' in selector) errors.push(invalidValue(labelSelectorPath as string, '', selector.error));
  return errors;
}

function replicasErrors(object: KubeObject, path: string): FieldError[] {
  const found = nestedValue(object, path, 'int64');
  if ('error' in found) return [invalidValue(path, 0, found.error)];
  const replicas = (found.value ?? 0) as number;
  if (replicas < 0) return [invalidValue(path, replicas, 'should be a non-negative integer')];
  return replicas > int32Max ? [invalidValue(path, replicas, `should be less than or equal to ${int32Max}`)] : [];
}

/** What an update was let pass with. */
export function toleratedIn(object: KubeObject): readonly string[] {
  return tolerated.get(object) ?? [];
}

/** Finalizers that say nobody's name. */
export function warnOfCustom(object: KubeObject, old: KubeObject | undefined, warnings: string[]): void {
  const known = new Set(old?.metadata.finalizers);
  const added = [...new Set(object.metadata.finalizers)].filter((finalizer) => !known.has(finalizer)).sort();
  for (const finalizer of added) {
    for (const problem of isQualifiedName(finalizer)) warnings.push(`metadata.finalizers: "${finalizer}": ${problem}`);
    if (finalizer.includes('/') || standardFinalizers.has(finalizer)) continue;
    const path = finalizer.includes('.') ? ' including a path (/)' : '';
    const text = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    warnings.push(`metadata.finalizers: "${finalizer}": ${text}`);
  }
}

const standardFinalizers: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);
