import { statusOf } from '../pod-types';
import type { PodRuntime } from './container-run';
import { wakeBy, type Passage, type Progress } from './passage';
import { endRuns } from './phases/end-runs';
import { completion, isAnnounced, orderToStop } from './phases/order';
import { startRuns } from './phases/start-runs';
import { stopAll } from './phases/stop';
import { syncUnderWay, type SyncUnderWay } from './phases/sync-under-way';
import { watchProbes, watchStarted } from './phases/probe-runs';
import { actuate, allocate } from './resize';

/**
 * Lets happen to the containers what is due, in place. One call goes one step: what follows from it is due in the next. In this order:
 * an order to stop the whole pod; else runs that are over; else, where nothing is left to run, the end of the pod; else starts; and
 * what the probes say of those that run.
 */
export function advance(runtime: PodRuntime, passage: Passage): Progress {
  const progress: Progress = { facts: [], notes: [] };
  const { pod, now } = passage;
  if (statusOf(pod).observedGeneration !== pod.metadata.generation) runtime.observedAt = now;
  const order = orderToStop(runtime, passage, progress);
  const sync = order && syncUnderWay(runtime, passage, order.at);
  if (order && sync) {
    finishSync(runtime, passage, progress, sync);
    if (passage.now < sync.heededAt) return progress;
    order.at = sync.heededAt;
  }
  const watched = watchProbes(runtime, passage, progress, order?.at);
  if (order) {
    stopAll(runtime, passage, order, progress, isAnnounced(order, pod));
    return progress;
  }
  allocate(runtime, passage, progress);
  endRuns(runtime, passage, progress);
  const completed = completion(runtime, passage);
  if (completed) stopAll(runtime, passage, completed, progress, progress.facts.length === 0);
  else startRuns(runtime, passage, progress);
  actuate(runtime, passage, progress);
  if (!runtime.finished) watchStarted(runtime, passage, progress, watched);
  return progress;
}

/** A sync keeps the order to stop waiting: what it has begun it brings to its end, and shows then. */
function finishSync(runtime: PodRuntime, passage: Passage, progress: Progress, sync: SyncUnderWay): void {
  const { now } = passage;
  const isHeeded = now >= sync.heededAt;
  if (!isHeeded) {
    runtime.verdict = undefined;
    runtime.isUnaware = true;
    wakeBy(progress, sync.heededAt, now);
  }
  startRuns(runtime, isHeeded ? passage : { ...passage, now: Math.min(now, sync.overAt) }, progress, sync);
}
