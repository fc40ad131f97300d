import type { Condition } from '#libs/cluster-state';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { countIndexes, hasIndex, indexesText, withIndexes } from './indexes';
import { indexOf, isPodFailed, isTracked, validIndexOf } from './job-pods';
import { judgeFailure } from './pod-failures';
import type { JobView } from './sync-context';

/** Uids that a status lists at most: the list stays below 20 KB. */
const uncountedMax = 500;

export interface Uncounted {
  succeeded: string[];
  failed: string[];
}

export interface JobStatus extends JsonObject {
  conditions?: Condition[];
  startTime?: string;
  completionTime?: string;
  active?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  ready?: number;
  completedIndexes?: string;
  failedIndexes?: string;
}

export interface Tracked {
  status: JobStatus;
  uncounted: Uncounted;
  /** Pods have ended that the status has not told of yet. */
  isNew: boolean;
  /** Uids of the status have become numbers. */
  isCounted: boolean;
  /** Pods to take the mark off, once the status is written. */
  release: KubeObject[];
  /** More pods have ended than the status can tell of at once. */
  isCut: boolean;
}

/**
 * How the ended pods of a Job get into its counters: first the status lists their uids, then the mark is taken off them, then they are
 * numbers. So none is counted twice or never, whenever the controller is stopped (upstream `trackJobStatusAndRemoveFinalizers`).
 * @param end what the Job is to end with
 */
export function track(view: JobView, status: JobStatus, end: Condition | undefined): Tracked {
  const { job, pods } = view;
  const marked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const listed = { succeeded: [...view.uncounted.succeeded], failed: [...view.uncounted.failed] };
  const uncounted: Uncounted = {
    succeeded: listed.succeeded.filter((uid) => marked.has(uid)),
    failed: listed.failed.filter((uid) => marked.has(uid)),
  };
  const counted: JobStatus = {
    ...status,
    succeeded: (status.succeeded ?? 0) + listed.succeeded.length - uncounted.succeeded.length,
    failed: (status.failed ?? 0) + listed.failed.length - uncounted.failed.length,
  };
  const isCounted = listed.succeeded.length + listed.failed.length > uncounted.succeeded.length + uncounted.failed.length;
  const tracked: Tracked = { status: counted, uncounted, isNew: false, isCounted, release: [], isCut: false };
  const indexes: number[] = [];
  for (const pod of inOrderOfIndex(view)) {
    if (!isTracked(pod) || !mayRelease(view, pod, end)) continue;
    tracked.release.push(pod);
    note(view, pod, end, tracked, indexes);
    if (indexes.length + uncounted.succeeded.length + uncounted.failed.length >= uncountedMax) {
      tracked.isCut = true;
      break;
    }
  }
  return view.indexes ? withIndexesOf(view, tracked, indexes, job) : tracked;
}

function inOrderOfIndex({ pods, indexes }: JobView): readonly KubeObject[] {
  return indexes ? [...pods].sort((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1)) : pods;
}

/** A failed pod keeps its mark while the one that replaces it is to count on from it. */
function mayRelease({ job, indexes }: JobView, pod: KubeObject, end: Condition | undefined): boolean {
  if (job.metadata.deletionTimestamp || end || pod.status?.phase === 'Succeeded') return true;
  if (!isPodFailed(pod, job)) return false;
  const index = indexOf(pod);
  return index === undefined || indexes?.waiting.get(index)?.metadata.uid !== pod.metadata.uid;
}

function note(view: JobView, pod: KubeObject, end: Condition | undefined, tracked: Tracked, indexes: number[]): void {
  const { job, uncounted } = view;
  const { uid } = pod.metadata;
  const index = validIndexOf(pod, job);
  if (pod.status?.phase === 'Succeeded' && !uncounted.failed.has(uid)) {
    if (view.indexes) {
      if (index === undefined || hasIndex(view.indexes.counted, index)) return;
      indexes.push(index);
    } else {
      if (uncounted.succeeded.has(uid)) return;
      tracked.uncounted.succeeded.push(uid);
    }
    tracked.isNew = true;
    return;
  }
  // Of a Job that ends for failure, what still runs has failed too.
  const hasFailed = isPodFailed(pod, job) || (end !== undefined && end.type !== 'SuccessCriteriaMet');
  if (!hasFailed || uncounted.failed.has(uid) || (view.indexes && index === undefined) || !judgeFailure(job, pod).counts) return;
  tracked.uncounted.failed.push(uid);
  tracked.isNew = true;
}

function withIndexesOf({ indexes }: JobView, tracked: Tracked, added: readonly number[], job: KubeObject): Tracked {
  if (!indexes) return tracked;
  const succeeded = withIndexes(indexes.succeeded, added);
  const completedIndexes = indexesText(succeeded) || undefined;
  const failedIndexes = indexes.failed && indexesText(indexes.failed);
  const before = (job.status ?? {}) as JobStatus;
  const isNew = tracked.isNew || completedIndexes !== before.completedIndexes || failedIndexes !== before.failedIndexes;
  return { ...tracked, isNew, status: { ...tracked.status, succeeded: countIndexes(succeeded), completedIndexes, failedIndexes } };
}

/** The status as it is stored: what is zero or empty is not, but for what a Job always tells. */
export function shownStatus(
  { succeeded, failed, active, uncountedTerminatedPods: _, ...rest }: JobStatus,
  uncounted: Uncounted,
): JobStatus {
  const shown: JobStatus = {
    ...rest,
    ...(active ? { active } : {}),
    ...(succeeded ? { succeeded } : {}),
    ...(failed ? { failed } : {}),
    uncountedTerminatedPods: {
      ...(uncounted.succeeded.length > 0 ? { succeeded: uncounted.succeeded } : {}),
      ...(uncounted.failed.length > 0 ? { failed: uncounted.failed } : {}),
    },
  };
  for (const key of Object.keys(shown)) if (shown[key] === undefined) delete shown[key];
  return shown;
}
