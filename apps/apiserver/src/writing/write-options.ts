import { forbidden, invalid, invalidValue, tooLong, unsupported, type DeleteOptions, type Failure, type FieldError, type WriteOptions } from '#libs/kube-api';
import type { JsonObject } from '#libs/kernel';
import type { Query } from '../request-info/query';

const fieldManagerMax = 128;
const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const fieldValidations = ['', 'Ignore', 'Strict', 'Warn'];

function fieldManagerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > fieldManagerMax) errors.push(tooLong('fieldManager', fieldManagerMax));
  if (unprintable.test(manager)) errors.push(invalidValue('fieldManager', manager, 'should only contain printable characters'));
  return errors;
}

function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All') ? [] : [unsupported('dryRun', dryRun, ['All'])];
}

/** `CreateOptions`, `UpdateOptions` or `PatchOptions` of a write, from its query. */
export function readWriteOptions(kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions', query: Query): WriteOptions | Failure {
  const fieldManager = query.text('fieldManager');
  const fieldValidation = query.text('fieldValidation');
  const dryRun = query.all('dryRun');
  const errors: FieldError[] = [];
  if (kind === 'PatchOptions' && query.has('force')) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  errors.push(...fieldManagerErrors(fieldManager), ...dryRunErrors(dryRun));
  if (!fieldValidations.includes(fieldValidation)) errors.push(unsupported('fieldValidation', fieldValidation, fieldValidations));
  if (errors.length > 0) return invalid(`${kind}.meta.k8s.io`, '', errors);
  return {
    dryRun: dryRun.length > 0,
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(fieldValidation === '' ? {} : { fieldValidation: fieldValidation as WriteOptions['fieldValidation'] }),
  };
}

const propagationPolicies = ['Foreground', 'Background', 'Orphan'];

/** `DeleteOptions` as decoded from a body or made from a query: checked, and in the terms of the write path. */
export function checkDeleteOptions(given: JsonObject): DeleteOptions | Failure {
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions, dryRun } = given as {
    gracePeriodSeconds?: number;
    orphanDependents?: boolean;
    propagationPolicy?: string;
    preconditions?: DeleteOptions['preconditions'];
    dryRun?: string[];
  };
  const errors: FieldError[] = [];
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (propagationPolicy !== undefined && !propagationPolicies.includes(propagationPolicy)) {
    errors.push(unsupported('propagationPolicy', propagationPolicy, [...propagationPolicies, 'nil']));
  }
  errors.push(...dryRunErrors(dryRun ?? []));
  if (errors.length > 0) return invalid('DeleteOptions.meta.k8s.io', '', errors);
  const policy = propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === undefined ? {} : { propagationPolicy: policy as DeleteOptions['propagationPolicy'] }),
    ...(preconditions === undefined ? {} : { preconditions }),
    dryRun: (dryRun?.length ?? 0) > 0,
  };
}

/** The same from a query, for a delete without a body. */
export function deleteOptionsOfQuery(query: Query): JsonObject | { error: string } {
  const grace = query.integer('gracePeriodSeconds');
  if ('error' in grace) return grace;
  const options: JsonObject = {};
  if (grace.value !== undefined) options.gracePeriodSeconds = grace.value;
  if (query.has('orphanDependents')) options.orphanDependents = query.flag('orphanDependents');
  if (query.has('propagationPolicy')) options.propagationPolicy = query.text('propagationPolicy');
  if (query.has('dryRun')) options.dryRun = [...query.all('dryRun')];
  return options;
}

