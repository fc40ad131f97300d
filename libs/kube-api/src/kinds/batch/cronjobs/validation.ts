import type { KubeObject } from '#libs/kernel';
import { invalidValue, required, unsupported } from '../../../status/field-error';
import { byteLength, isDnsSubdomain } from '../../../validation/formats';
import { goSelector } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { isSet, validateNonNegative, validateRequiredSupported, type Errors, type Loose } from '../../../validation/values';
import { validateJobSpec } from '../jobs/spec-validation';
import { scheduleProblem } from './schedule';
import { isTimeZone } from './time-zones';

/** Jobs are named after their CronJob, with the time behind it. */
const nameBytesMax = 52;

export function validateCronJob(cronJob: KubeObject, errors: Errors): void {
  const { name = '' } = cronJob.metadata;
  validateMetadata(cronJob.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateSpec(cronJob.spec ?? {}, undefined, errors);
  if (byteLength(name) > nameBytesMax) errors.push(invalidValue('metadata.name', name, `must be no more than ${nameBytesMax} characters`));
}

export function validateCronJobUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateSpec(updated.spec ?? {}, old.spec ?? {}, errors);
}

function validateSpec(spec: Loose, before: Loose, errors: Errors): void {
  const schedule: string = spec.schedule ?? '';
  if (schedule === '') errors.push(required('spec.schedule'));
  else validateSchedule(schedule, spec.timeZone, (before?.schedule ?? '').includes('TZ'), errors);
  validateNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds', errors);
  if (!before || (before.timeZone ?? undefined) !== (spec.timeZone ?? undefined)) validateTimeZone(spec.timeZone, errors);
  validateRequiredSupported(spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy', errors);
  validateJobTemplate(spec.jobTemplate?.spec ?? {}, 'spec.jobTemplate.spec', errors);
  validateNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit', errors);
  validateNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit', errors);
}

/** @param hadZone a zone inside the schedule is a way of long ago: who has one keeps it */
function validateSchedule(schedule: string, timeZone: unknown, hadZone: boolean, errors: Errors): void {
  const refuse = (text: string) => errors.push(invalidValue('spec.schedule', schedule, text));
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) refuse(problem);
  if (!schedule.includes('TZ')) return;
  if (!hadZone) refuse('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (isSet(timeZone)) refuse('cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function validateTimeZone(zone: Loose, errors: Errors): void {
  if (!isSet(zone)) return;
  const refuse = (text: string) => errors.push(invalidValue('spec.timeZone', zone, text));
  if (zone === '') return void refuse('timeZone must be nil or non-empty string');
  const isName = (part: string): boolean => /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/.test(part) && part !== '.' && part !== '..';
  if (!(zone as string).split('/').every(isName)) return void refuse(`unknown time zone ${zone}`);
  if ((zone as string).toLowerCase() === 'local') {
    refuse('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  }
  if (zone !== 'Local' && !isTimeZone(zone)) refuse(`unknown time zone ${zone}`);
}

/** Each job is given a selector of its own. */
function validateJobTemplate(spec: Loose, field: string, errors: Errors): void {
  validateJobSpec(spec, field, errors);
  if (isSet(spec.selector)) errors.push(invalidValue(`${field}.selector`, goSelector(spec.selector), '`selector` will be auto-generated'));
  if (spec.manualSelector === true) errors.push(unsupported(`${field}.manualSelector`, true, ['nil', 'false']));
}
