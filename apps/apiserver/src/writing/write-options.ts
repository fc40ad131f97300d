import type { IncomingHttpHeaders } from 'node:http';
import {
  managerOfAgent,
  validateCreateOptions,
  validateDeleteOptions,
  validatePatchOptions,
  validateUpdateOptions,
  type DeleteOptions,
  type Failure,
  type WriteOptions,
  type WriteParameters,
} from '#libs/kube-api';
import type { JsonObject } from '#libs/kernel';
import type { Query } from '../request-info/query';

const checks = {
  create: validateCreateOptions,
  update: validateUpdateOptions,
  patch: (parameters: WriteParameters): Failure | undefined => validatePatchOptions(parameters, false),
  apply: (parameters: WriteParameters): Failure | undefined => validatePatchOptions(parameters, true),
};

/** `CreateOptions`, `UpdateOptions` or `PatchOptions` of a write, from its query. A manager that is not named is the client by its own name. */
export function readWriteOptions(
  verb: keyof typeof checks,
  { query, headers }: { query: Query; headers: IncomingHttpHeaders },
): WriteOptions | Failure {
  const fieldManager = query.text('fieldManager');
  const fieldValidation = query.text('fieldValidation');
  const dryRun = query.all('dryRun');
  const failure = checks[verb]({ dryRun, fieldManager, fieldValidation, force: query.flag('force') });
  if (failure) return failure;
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager === '' ? managerOfAgent(headers['user-agent']) : fieldManager,
    ...(fieldValidation === '' ? {} : { fieldValidation: fieldValidation as WriteOptions['fieldValidation'] }),
  };
}

interface GivenDeleteOptions {
  gracePeriodSeconds?: number;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  preconditions?: DeleteOptions['preconditions'];
  dryRun?: string[];
}

/** `DeleteOptions` as decoded from a body or made from a query: checked, and in the terms of the write path. */
export function checkDeleteOptions(options: JsonObject): DeleteOptions | Failure {
  const given = options as GivenDeleteOptions;
  const failure = validateDeleteOptions(given);
  if (failure) return failure;
  const { gracePeriodSeconds, orphanDependents, propagationPolicy, preconditions, dryRun = [] } = given;
  const policy = propagationPolicy ?? (orphanDependents === undefined ? undefined : orphanDependents ? 'Orphan' : 'Background');
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(policy === undefined ? {} : { propagationPolicy: policy as DeleteOptions['propagationPolicy'] }),
    ...(preconditions === undefined ? {} : { preconditions }),
    dryRun: dryRun.length > 0,
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
