import { forbidden, invalidValue, required, unsupported } from '../status/field-error';
import type { FieldError } from '../status/field-error';
import { invalid } from '../status';
import type { Failure } from '../status';
import { validateFieldManager } from './metadata';
import type { Errors } from './values';
import { isSet, negativeText } from './values';

/** Query parameters of a request (or a DeleteOptions body), read but not yet checked. Absent is absent; empty is empty. */
export interface WriteParameters {
  dryRun?: readonly string[];
  fieldManager?: string;
  fieldValidation?: string;
  /** Only with a patch. */
  force?: boolean;
}

export interface DeleteParameters {
  dryRun?: readonly string[];
  orphanDependents?: boolean;
  propagationPolicy?: string;
  gracePeriodSeconds?: number;
}

export interface ListParameters {
  watch?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: string;
  continue?: string;
  sendInitialEvents?: boolean;
}

function validateDryRun(dryRun: readonly string[] | undefined, errors: Errors): void {
  if ((dryRun ?? []).some((value) => value !== 'All')) errors.push(unsupported('dryRun', dryRun, ['All']));
}

function validateFieldValidation(value: string | undefined, errors: Errors): void {
  const supported = ['', 'Ignore', 'Strict', 'Warn'];
  if (!supported.includes(value ?? '')) errors.push(unsupported('fieldValidation', value, supported));
}

function refusal(kind: string, errors: readonly FieldError[]): Failure | undefined {
  return errors.length === 0 ? undefined : invalid(`${kind}.meta.k8s.io`, '', errors);
}

function writeRefusal(kind: string, parameters: WriteParameters, errors: Errors): Failure | undefined {
  validateFieldManager(parameters.fieldManager ?? '', 'fieldManager', errors);
  validateDryRun(parameters.dryRun, errors);
  validateFieldValidation(parameters.fieldValidation, errors);
  return refusal(kind, errors);
}

export function validateCreateOptions(parameters: WriteParameters): Failure | undefined {
  return writeRefusal('CreateOptions', parameters, []);
}

export function validateUpdateOptions(parameters: WriteParameters): Failure | undefined {
  return writeRefusal('UpdateOptions', parameters, []);
}

/** `apply`: a server-side apply, which needs a manager and alone may be forced. */
export function validatePatchOptions(parameters: WriteParameters, apply: boolean): Failure | undefined {
  const errors: Errors = [];
  if (!apply && isSet(parameters.force)) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  if (apply && !parameters.fieldManager) errors.push(required('fieldManager', 'is required for apply patch'));
  return writeRefusal('PatchOptions', parameters, errors);
}

export function validateDeleteOptions({ dryRun, orphanDependents, propagationPolicy }: DeleteParameters): Failure | undefined {
  const errors: Errors = [];
  if (isSet(orphanDependents) && isSet(propagationPolicy)) {
    errors.push(invalidValue('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (isSet(propagationPolicy) && !['Foreground', 'Background', 'Orphan'].includes(propagationPolicy as string)) {
    errors.push(unsupported('propagationPolicy', propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  validateDryRun(dryRun, errors);
  return refusal('DeleteOptions', errors);
}

const matchField = 'resourceVersionMatch';

/** Which combinations of version, match and initial events a list or a watch may ask for. */
export function validateListOptions(parameters: ListParameters): Failure | undefined {
  const errors: Errors = [];
  if (parameters.watch) validateWatch(parameters, errors);
  else validateList(parameters, errors);
  return refusal('ListOptions', errors);
}

function validateList(parameters: ListParameters, errors: Errors): void {
  const { resourceVersion = '', resourceVersionMatch: match = '', continue: token = '' } = parameters;
  if (match !== '') {
    if (resourceVersion === '') errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (token !== '') errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.push(unsupported(matchField, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (isSet(parameters.sendInitialEvents)) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
}

function validateWatch(parameters: ListParameters, errors: Errors): void {
  const { resourceVersionMatch: match = '', continue: token = '', sendInitialEvents } = parameters;
  if (isSet(sendInitialEvents) && match !== 'NotOlderThan') {
    errors.push(forbidden(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return;
  if (!isSet(sendInitialEvents)) {
    errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') errors.push(unsupported(matchField, match, ['NotOlderThan']));
  if (token !== '') errors.push(forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided'));
}

export interface LogParameters {
  tailLines?: number;
  limitBytes?: number;
  sinceSeconds?: number;
  sinceTime?: string;
  stream?: string;
}

/** Options of pods/log. */
export function validateLogOptions(pod: string, parameters: LogParameters): Failure | undefined {
  const errors: Errors = [];
  const { tailLines, limitBytes, sinceSeconds, sinceTime, stream } = parameters;
  if (tailLines !== undefined && tailLines < 0) errors.push(invalidValue('tailLines', tailLines, negativeText));
  if (limitBytes !== undefined && limitBytes < 1) errors.push(invalidValue('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  }
  if (stream !== undefined) errors.push(forbidden('stream', 'may not be specified'));
  return errors.length === 0 ? undefined : invalid('PodLogOptions', pod, errors);
}
