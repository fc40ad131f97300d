import { isTerminal, type ObjectChange } from '#libs/cluster-state';
import { parseTime } from '#libs/kernel';
import { statusOf, type ContainerStatus, type PodStatus } from './pod-types';

/**
 * Moments of a pod's life to the millisecond. Statuses say whole seconds, and some delays are shorter; what is missing here
 * (after a restart of the kubelet everything) is read from the status instead.
 */
export interface PodMarks {
  accepted?: number;
  /** When the kubelet wrote down the present generation, if it is not the one it took the pod with. */
  observed?: number;
  /** The first deletion request, and the grace it gave, in seconds. */
  deletion?: { at: number; graceSeconds: number };
  runs?: Readonly<Record<string, RunMark>>;
}

/** Start and end of a container's run; `run` is its restart count. */
export interface RunMark {
  run: number;
  started?: number;
  finished?: number;
}

export const noMarks: PodMarks = {};

/** The mark when it lies in the second that the text names; otherwise that second. */
export function preciseTime(text: string | null | undefined, mark: number | undefined): number | undefined {
  const second = parseTime(text);
  return second !== undefined && mark !== undefined && Math.floor(mark / 1000) * 1000 === second ? mark : second;
}

/** Marks after a change of the pod: `at` is when its author decided on it, ms. */
export function marksAfter(marks: PodMarks, change: ObjectChange, at: number): PodMarks {
  const { before, object } = change;
  if (isTerminal(object)) return noMarks;
  const old = before && before.metadata.uid === object.metadata.uid ? before : undefined;
  const next: PodMarks = old ? { ...marks } : {};
  const was = old ? statusOf(old) : undefined;
  const is = statusOf(object);
  if (is.startTime !== was?.startTime) next.accepted = at;
  if (was?.observedGeneration !== undefined && is.observedGeneration !== was.observedGeneration) next.observed = at;
  const grace = object.metadata.deletionGracePeriodSeconds;
  if (object.metadata.deletionTimestamp && !old?.metadata.deletionTimestamp) next.deletion = { at, graceSeconds: grace ?? 0 };
  const runs = runMarks(next.runs, was, is, at);
  if (runs !== next.runs) next.runs = runs;
  return next;
}

type RunMarks = PodMarks['runs'];

function runMarks(marks: RunMarks, was: PodStatus | undefined, is: PodStatus, at: number): RunMarks {
  let result = marks;
  for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const) {
    const now = is[list];
    const before = was?.[list];
    if (now === before || !now) continue;
    now.forEach((status, index) => {
      const mark = runMark(result?.[status.name], status, before?.[index], at);
      if (mark && mark !== result?.[status.name]) result = { ...result, [status.name]: mark };
    });
  }
  return result;
}

function runMark(mark: RunMark | undefined, status: ContainerStatus, before: ContainerStatus | undefined, at: number): RunMark | undefined {
  if (!status.containerID || status === before) return mark;
  const run = status.restartCount;
  const known = mark?.run === run ? mark : { run };
  const finished = (status.state.terminated ?? status.lastState.terminated)?.finishedAt as string | undefined;
  if (status.state.running && known.started === undefined) return { ...known, started: at };
  if (status.state.terminated && known.finished === undefined) return { ...known, finished: preciseEnd(finished, at) };
  return known;
}

/** A run may have ended before the kubelet wrote it down; then only the second is known. */
function preciseEnd(finished: string | undefined, at: number): number {
  return preciseTime(finished, at) ?? at;
}
