import { parseTime, type KubeObject } from '#libs/kernel';
import { duplicate, invalidField, invalidValue, required } from '../../../status/field-error';
import { semanticEqual } from '../../../strategy/equality';
import { goShape } from '../../../validation/go-shapes';
import { validateMetadataUpdate } from '../../../validation/metadata';
import { immutableText, isSet, listOf, validateNonNegative, type Errors, type Loose } from '../../../validation/values';
import { countIndexes, overlapOf } from './indexes';

/** What is asked of a status, and of what changed in it: a rule about a field holds where the field, or what it is about, has changed. */
class StatusUpdate {
  readonly status: Loose;
  readonly before: Loose;
  readonly spec: Loose;

  constructor(
    readonly updated: KubeObject,
    old: KubeObject,
    readonly errors: Errors,
  ) {
    this.status = updated.status ?? {};
    this.before = old.status ?? {};
    this.spec = updated.spec ?? {};
  }

  get isIndexed(): boolean {
    return this.spec.completionMode === 'Indexed';
  }

  get isFinished(): boolean {
    return this.is('Complete') || this.is('Failed');
  }

  get wasFinished(): boolean {
    return this.was('Complete') || this.was('Failed');
  }

  is(type: string): boolean {
    return hasCondition(this.status, type, 'True');
  }

  was(type: string): boolean {
    return hasCondition(this.before, type, 'True');
  }

  /** Whether one of these fields or conditions is not as it was. */
  changed(...names: string[]): boolean {
    return names.some((name) =>
      name === 'finished'
        ? this.isFinished !== this.wasFinished
        : /^[A-Z]/.test(name)
          ? this.is(name) !== this.was(name)
          : !semanticEqual(this.status[name] || undefined, this.before[name] || undefined),
    );
  }

  refuseConditions(text: string): void {
    this.errors.push(invalidField('status.conditions', text));
  }

  refuse(field: string, text: string, shown: unknown = this.status[field]): void {
    this.errors.push(invalidValue(`status.${field}`, shown, text));
  }

  require(field: string, text: string): void {
    this.errors.push(required(`status.${field}`, text));
  }
}

const hasCondition = (status: Loose, type: string, value: string): boolean =>
  listOf(status.conditions).some((condition) => condition.type === type && condition.status === value);

export function validateJobStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const update = new StatusUpdate(updated, old, errors);
  for (const count of ['active', 'succeeded', 'failed', 'ready', 'terminating']) {
    validateNonNegative(update.status[count], `status.${count}`, errors);
  }
  validateUncounted(update.status.uncountedTerminatedPods, errors);
  validateCompletion(update);
  validateEnd(update);
  validateIndexes(update);
  validateAfterEnd(update);
  validateSuccessCriteria(update);
  validateHistory(update);
}

function validateUncounted(pods: Loose, errors: Errors): void {
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed']) {
    for (const [index, uid] of listOf(pods?.[list]).entries()) {
      const at = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') errors.push(invalidValue(at, uid, 'must not be empty'));
      else if (seen.has(uid)) errors.push(duplicate(at, uid));
      seen.add(uid);
    }
  }
}

function validateCompletion(update: StatusUpdate): void {
  const { status } = update;
  const isComplete = update.is('Complete');
  if (update.changed('Complete', 'Failed') && isComplete && update.is('Failed')) {
    update.refuseConditions('cannot set Complete=True and Failed=true conditions');
  }
  if (update.changed('Complete', 'FailureTarget') && isComplete && update.is('FailureTarget')) {
    update.refuseConditions('cannot set Complete=True and FailureTarget=true conditions');
  }
  if (update.changed('Complete', 'completionTime')) {
    if (isSet(status.completionTime) && !isComplete) {
      update.refuse('completionTime', 'cannot set completionTime when there is no Complete=True condition');
    }
    if (!isSet(status.completionTime) && isComplete) update.require('completionTime', 'completionTime is required for Complete jobs');
  }
  if (update.changed('startTime', 'completionTime') && isBefore(status.completionTime, status.startTime)) {
    update.refuse('completionTime', 'must be equal to or after `startTime`');
  }
}

const isBefore = (a: string | undefined, b: string | undefined): boolean => (parseTime(a) ?? Infinity) < (parseTime(b) ?? -Infinity);

function validateEnd(update: StatusUpdate): void {
  const { status, spec } = update;
  if (update.changed('Failed', 'failedIndexes') && update.is('Failed') && !update.is('FailureTarget')) {
    update.refuseConditions('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if (update.changed('Complete', 'SuccessCriteriaMet') && update.is('Complete') && !update.is('SuccessCriteriaMet')) {
    update.refuseConditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if (!update.isFinished) return;
  if (update.changed('finished', 'active') && status.active > 0) update.refuse('active', 'active>0 is invalid for finished job');
  const neverRan = spec.suspend === true && spec.completions === 0;
  if (update.changed('finished', 'startTime') && !neverRan && !isSet(status.startTime)) {
    update.require('startTime', 'startTime is required for finished job');
  }
  const { uncountedTerminatedPods: uncounted } = status;
  if (update.changed('finished', 'uncountedTerminatedPods') && listOf(uncounted?.failed).length + listOf(uncounted?.succeeded).length > 0) {
    update.refuse('uncountedTerminatedPods', 'must be empty for finished job', goShape('UncountedTerminatedPods', uncounted));
  }
}

function validateIndexes(update: StatusUpdate): void {
  const { status, spec } = update;
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex } = spec;
  const unreadable = (field: string, text: string): void => {
    const counted = countIndexes(text, completions);
    if (typeof counted !== 'number') update.refuse(field, `error parsing ${field}: ${counted.error}`, text);
  };
  const [doneChanged, failedChanged] = [update.changed('completedIndexes'), update.changed('failedIndexes')];
  if (doneChanged && isSet(completions)) unreadable('completedIndexes', completed);
  if (failedChanged && isSet(completions) && isSet(backoffLimitPerIndex) && isSet(failed)) unreadable('failedIndexes', failed);
  if (doneChanged && completed !== '' && !update.isIndexed) {
    update.refuse('completedIndexes', 'cannot set non-empty completedIndexes when non-indexed completion mode');
  }
  if (failedChanged && !isSet(backoffLimitPerIndex) && isSet(failed)) {
    update.refuse('failedIndexes', 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  }
  if ((doneChanged || failedChanged) && isSet(completions) && isSet(failed)) {
    const both = overlapOf(completed, failed, completions);
    if (both !== undefined) update.refuse('failedIndexes', `failedIndexes and completedIndexes overlap at index: ${both}`);
  }
}

function validateAfterEnd(update: StatusUpdate): void {
  const { status } = update;
  if (update.changed('finished', 'terminating') && status.terminating > 0 && update.isFinished) {
    update.refuse('terminating', 'terminating>0 is invalid for finished job');
  }
  if (update.changed('ready', 'active') && status.ready > (status.active ?? 0)) {
    update.refuse('ready', 'cannot set more ready pods than active');
  }
}

function validateSuccessCriteria(update: StatusUpdate): void {
  const isMet = update.is('SuccessCriteriaMet');
  if (isMet && update.is('Failed')) update.refuseConditions('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (isMet && update.is('FailureTarget')) update.refuseConditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (isSet(update.spec.successPolicy) && !isMet && update.is('Complete')) {
    update.refuseConditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
}

/** What has happened stays so. */
function validateHistory(update: StatusUpdate): void {
  const { status, before, spec } = update;
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (update.was(type) && !update.is(type)) update.refuseConditions(`cannot disable the terminal ${type}=True condition`);
  }
  // A job of as many pods at a time as in all may be made smaller, and then has fewer successes.
  const mayShrink = update.isIndexed && spec.completions === spec.parallelism;
  for (const count of mayShrink ? ['failed'] : ['failed', 'succeeded']) {
    if ((status[count] ?? 0) < (before[count] ?? 0)) {
      update.refuse(count, `cannot decrease the ${count} counter`, status[count] ?? 0);
    }
  }
  if (isSet(status.completionTime) && isSet(before.completionTime) && status.completionTime !== before.completionTime) {
    update.refuse('completionTime', immutableText);
  }
  const isResuming = update.was('Suspended') && hasCondition(status, 'Suspended', 'False');
  if (isSet(before.startTime) && update.changed('startTime') && !isResuming && spec.suspend !== true) {
    update.require('startTime', 'startTime cannot be removed for unsuspended job');
  }
  if (update.was('SuccessCriteriaMet') && !update.is('SuccessCriteriaMet')) {
    update.refuseConditions('cannot disable the SuccessCriteriaMet=True condition');
  }
  if (update.was('Complete') && !update.was('SuccessCriteriaMet') && update.is('SuccessCriteriaMet')) {
    update.refuseConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
  }
}
