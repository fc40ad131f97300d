import { parseTime, type KubeObject } from '#libs/kernel';
import { age, nameOf, rowOf } from '../../../printing/cell';
import { ageOf, humanDuration } from '../../../printing/age';
import { formatObjectSelector } from '../../../selectors';
import { listOf } from '../../../validation/values';
import { containerCells } from '../../apps/workload';

/** Conditions that name the status, the strongest first; a deletion comes between the ends and the stages. */
const ends = ['Complete', 'Failed'];
const stages = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function statusOf({ metadata, status }: KubeObject): string {
  const has = (type: string): boolean =>
    listOf(status?.conditions).some((condition) => condition.type === type && condition.status === 'True');
  const end = ends.find(has);
  if (end) return end;
  if (metadata.deletionTimestamp) return 'Terminating';
  return stages.find(has) ?? 'Running';
}

function completionsOf({ spec = {}, status = {} }: KubeObject): string {
  const { completions, parallelism = 0 } = spec;
  const succeeded = status.succeeded ?? 0;
  if (completions !== undefined && completions !== null) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: KubeObject, now: number): string {
  const [began, ended] = [parseTime(status?.startTime), parseTime(status?.completionTime)];
  if (began === undefined) return '';
  return ended === undefined ? ageOf(status?.startTime, now) : humanDuration(ended - began);
}

export const jobRow = rowOf((job, now) => {
  const { selector, template } = job.spec ?? {};
  return [
    nameOf(job),
    statusOf(job),
    completionsOf(job),
    durationOf(job, now),
    age(job, now),
    ...containerCells(template),
    formatObjectSelector(selector),
  ];
});
