import { conditionOf, type Condition } from '#libs/cluster-state';
import { formatTime, parseTime, type KubeObject } from '#libs/kernel';
import { countCommon, countIndexes, parseIndexes } from './indexes';
import { completionsOf, isPodFailed, isSuspended } from './job-pods';
import { judgeFailure } from './pod-failures';
import type { JobView } from './sync-context';

export function jobCondition(type: string, reason: string, message: string, now: number): Condition {
  const time = formatTime(now);
  return { type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** The condition by which a Job is over; undefined: it is not. */
export function finishedBy(job: KubeObject): Condition | undefined {
  const conditions = (job.status?.conditions ?? []) as Condition[];
  return conditions.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

function standing(job: KubeObject, type: string): Condition | undefined {
  const condition = conditionOf(job, type);
  return condition?.status === 'True' ? condition : undefined;
}

/**
 * The condition that a Job is to end with, before its pods are looked after: what an earlier look has found stands; then failures, then
 * success by its policy. Types: SuccessCriteriaMet, FailureTarget, or Failed where FailureTarget is there already.
 */
export function endOf(view: JobView, now: number): Condition | undefined {
  const { job } = view;
  const met = standing(job, 'SuccessCriteriaMet');
  if (met) return met;
  const target = standing(job, 'FailureTarget');
  if (target) return jobCondition('Failed', target.reason ?? '', target.message ?? '', now);
  const failure = failureOf(view, now);
  if (failure) return jobCondition('FailureTarget', failure[0], failure[1], now);
  const rule = successRule(view);
  return rule === undefined ? undefined : jobCondition('SuccessCriteriaMet', 'SuccessPolicy', `Matched rules at index ${rule}`, now);
}

function failureOf(view: JobView, now: number): [reason: string, message: string] | undefined {
  const { job, pods, failed, indexes } = view;
  const { spec } = job;
  const fatal = spec?.podFailurePolicy && pods.filter((pod) => isPodFailed(pod, job)).find((pod) => judgeFailure(job, pod).message);
  if (fatal) return ['PodFailurePolicy', judgeFailure(job, fatal).message as string];
  if (failed > spec?.backoffLimit || hasRestartedTooOften(view))
    return ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'];
  if ((deadlineOf(job) ?? Infinity) <= now) return ['DeadlineExceeded', 'Job was active longer than specified deadline'];
  if (!indexes?.failed) return undefined;
  const lost = countIndexes(indexes.failed);
  if (spec?.maxFailedIndexes !== undefined && lost > spec.maxFailedIndexes) {
    return ['MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes'];
  }
  if (lost > 0 && lost + countIndexes(indexes.succeeded) >= completionsOf(job)) return ['FailedIndexes', 'Job has failed indexes'];
  return undefined;
}

/** Containers that are started again in their pod count against the limit too. */
function hasRestartedTooOften({ job, pods }: JobView): boolean {
  if (job.spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    const statuses = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])] as { restartCount?: number }[];
    for (const { restartCount = 0 } of statuses) restarts += restartCount;
  }
  const limit = job.spec?.backoffLimit as number;
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** When the Job has been active for too long, ms since the epoch; undefined: never. */
export function deadlineOf(job: KubeObject): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds as number | undefined;
  const start = parseTime(job.status?.startTime);
  return seconds === undefined || start === undefined || isSuspended(job) ? undefined : start + seconds * 1000;
}

interface SuccessRule {
  succeededIndexes?: string;
  succeededCount?: number;
}

function successRule({ job, indexes }: JobView): number | undefined {
  const rules = (job.spec?.successPolicy?.rules ?? []) as SuccessRule[];
  const done = indexes?.succeeded ?? [];
  if (done.length === 0) return undefined;
  const found = rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(done) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completionsOf(job));
    if (required.length === 0) return false;
    const common = countCommon(required, done);
    return common === countIndexes(required) || (succeededCount !== undefined && common >= succeededCount);
  });
  return found < 0 ? undefined : found;
}
