import { isReady } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { isActive } from '../replicaset/pod-state';
import { countIndexes, hasIndex, parseIndexes, withIndexes, type Indexes } from './indexes';
import {
  completionsOf,
  failureCount,
  ignoredFailureCount,
  indexOf,
  isIndexed,
  isPodFailed,
  isTerminating,
  isTracked,
  validIndexOf,
} from './job-pods';
import { finishedAt, judgeFailure } from './pod-failures';

/** A Job and its pods, counted (upstream `syncJobCtx`). */
export interface JobView {
  job: KubeObject;
  pods: readonly KubeObject[];
  active: KubeObject[];
  ready: number;
  terminating: number;
  /** Uids of pods that have ended and are not in the counters yet. */
  uncounted: { succeeded: ReadonlySet<string>; failed: ReadonlySet<string> };
  /** Ended, and in no list yet. */
  newSucceeded: KubeObject[];
  newFailed: KubeObject[];
  succeeded: number;
  failed: number;
  /** Of an Indexed Job. */
  indexes?: IndexView;
}

export interface IndexView {
  /** As the status has it. */
  counted: Indexes;
  succeeded: Indexes;
  /** Where failures of an index are limited. */
  failed?: Indexes;
  /** By index: the failed pod that waits for the one that replaces it to count on. */
  waiting: ReadonlyMap<number, KubeObject>;
}

export function viewOf(job: KubeObject, pods: readonly KubeObject[]): JobView {
  const { uncountedTerminatedPods = {}, succeeded = 0, failed = 0 } = job.status ?? {};
  const uncounted = {
    succeeded: new Set<string>(uncountedTerminatedPods.succeeded),
    failed: new Set<string>(uncountedTerminatedPods.failed),
  };
  const active = pods.filter(isActive);
  const valid = pods.filter((pod) => isTracked(pod) && (!isIndexed(job) || validIndexOf(pod, job) !== undefined));
  const newSucceeded = valid.filter((pod) => pod.status?.phase === 'Succeeded' && !uncounted.succeeded.has(pod.metadata.uid));
  const newFailed = valid.filter((pod) => isPodFailed(pod, job) && !uncounted.failed.has(pod.metadata.uid));
  const counting = newFailed.filter((pod) => judgeFailure(job, pod).counts);
  const indexes = isIndexed(job) ? indexesOf(job, pods, active, valid) : undefined;
  return {
    job,
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    uncounted,
    newSucceeded,
    newFailed,
    succeeded: indexes ? countIndexes(indexes.succeeded) : succeeded + newSucceeded.length + uncounted.succeeded.size,
    failed: failed + counting.length + uncounted.failed.size,
    indexes,
  };
}

function indexesOf(job: KubeObject, pods: readonly KubeObject[], active: readonly KubeObject[], valid: readonly KubeObject[]): IndexView {
  const completions = completionsOf(job);
  const counted = parseIndexes(job.status?.completedIndexes, completions);
  const done = valid.filter(({ status }) => status?.phase === 'Succeeded').map((pod) => indexOf(pod) as number);
  const succeeded = withIndexes(counted, done);
  if (job.spec?.backoffLimitPerIndex === undefined) return { counted, succeeded, waiting: new Map() };
  const lost = valid.filter((pod) => hasIndexFailed(job, pod)).map((pod) => indexOf(pod) as number);
  const failed = withIndexes(parseIndexes(job.status?.failedIndexes, completions), lost);
  const activeIndexes = new Set(active.map(indexOf));
  const waiting = new Map<number, KubeObject>();
  for (const pod of valid) {
    const index = indexOf(pod) as number;
    if (!isPodFailed(pod, job) || hasIndex(succeeded, index) || hasIndex(failed, index) || activeIndexes.has(index)) continue;
    const other = waiting.get(index);
    if (!other || (allFailures(other) <= allFailures(pod) && finishedAt(pod) >= finishedAt(other))) waiting.set(index, pod);
  }
  return { counted, succeeded, failed, waiting };
}

export function allFailures(pod: KubeObject): number {
  return failureCount(pod) + ignoredFailureCount(pod);
}

function hasIndexFailed(job: KubeObject, pod: KubeObject): boolean {
  if (!isPodFailed(pod, job)) return false;
  const { counts, action } = judgeFailure(job, pod);
  return action === 'FailIndex' || (counts && failureCount(pod) >= (job.spec?.backoffLimitPerIndex as number));
}
