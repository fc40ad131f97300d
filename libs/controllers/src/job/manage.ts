import type { Step } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { freeIndexes, mergeIndexes, withIndexes } from './indexes';
import { completionsOf, indexOf, isIndexed, isSuspended, isTerminating, podsToRemove, replacesFailedOnly } from './job-pods';
import { deletionOf, podCreation, untrack } from './new-pods';
import { finishedAt, mayCreateAt, type BackoffRecord } from './pod-failures';
import { allFailures, type JobView } from './sync-context';

/** Pods created or deleted in one look. */
const burstMax = 500;

export interface Managed {
  steps: Step[];
  /** Pods are missing, and none may be created before this time, ms since the epoch. */
  waitsUntil?: number;
}

/** As many pods as the Job wants, neither more nor fewer (upstream `manageJob`). @param creations how many may be created now */
export function manage(view: JobView, backoff: BackoffRecord, now: number, creations: number): Managed {
  const { job, active } = view;
  const wanted = isSuspended(job) ? 0 : wantedActive(view);
  const surplus = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, isSuspended(job) ? undefined : burstMax);
  if (surplus.length > 0) return { steps: surplus.flatMap((pod) => [untrack(pod), deletionOf(pod)]) };
  if (isSuspended(job)) return { steps: [] };
  const missing = wanted - (replacesFailedOnly(job) ? view.terminating : 0) - active.length;
  return missing > 0 ? create(view, backoff, now, Math.min(missing, burstMax), creations) : { steps: [] };
}

function wantedActive({ job, active, succeeded }: JobView): number {
  const { completions, parallelism } = job.spec as { completions?: number; parallelism: number };
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

function create(view: JobView, backoff: BackoffRecord, now: number, missing: number, creations: number): Managed {
  const { job, indexes } = view;
  const limitsIndexes = job.spec?.backoffLimitPerIndex !== undefined;
  const at = limitsIndexes ? undefined : mayCreateAt(backoff);
  if (at !== undefined && at > now) return { steps: [], waitsUntil: at };
  if (!isIndexed(job)) {
    const count = Math.min(missing, creations);
    return { steps: Array.from({ length: count }, (_, index) => podCreation(job, `create/${index}`)) };
  }
  const free = freeIndexes(takenIndexes(view), missing, completionsOf(job));
  const startOf = (index: number): number => startOfIndex(indexes?.waiting.get(index));
  const due = limitsIndexes ? free.filter((index) => startOf(index) <= now) : free;
  if (due.length === 0 && free.length > 0) return { steps: [], waitsUntil: Math.min(...free.map(startOf)) };
  return { steps: due.slice(0, creations).map((index) => podCreation(job, `create/${index}`, index, indexes?.waiting.get(index))) };
}

/** When the pod may be replaced, ms since the epoch. */
function startOfIndex(lost: KubeObject | undefined): number {
  return (lost && mayCreateAt({ failures: allFailures(lost) + 1, last: finishedAt(lost) })) ?? -Infinity;
}

function takenIndexes({ job, pods, active, indexes }: JobView): ReturnType<typeof withIndexes> {
  const going = replacesFailedOnly(job) ? pods.filter(isTerminating) : [];
  const inUse = [...active, ...going].map(indexOf).filter((index) => index !== undefined);
  return mergeIndexes(withIndexes(indexes?.succeeded ?? [], inUse), indexes?.failed ?? []);
}
