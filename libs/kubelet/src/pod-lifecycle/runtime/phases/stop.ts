import { fact } from '#libs/events';
import { specOf } from '../../pod-types';
import { restartWaitMs, waitInBackOff } from '../back-off';
import { allRuns, endRun, forgetPrevious, type PodRuntime } from '../container-run';
import type { Passage, Progress } from '../passage';
import { restarts } from '../starts';
import { planStop, type Stop } from '../stop-plan';
import { exit } from './end-runs';

/** Stops every container for good: tells that it begins, and, once the last one has ended, how. */
export function stopAll(runtime: PodRuntime, passage: Passage, stop: Stop, progress: Progress, announced: boolean): void {
  const plan = planStop(runtime, stop);
  if (!announced && plan.ends.length > 0) {
    const containers = plan.ends.map((end) => end.run.container.name);
    progress.facts.push(fact('ContainersStopping', { containers, gracePeriodSeconds: stop.graceSeconds }));
    if (stop.note) progress.notes.push(stop.note);
  }
  settleWaiting(runtime, passage, stop);
  if (passage.now < plan.over) {
    progress.wakeAt = plan.over;
    return;
  }
  for (const { run, ...end } of plan.ends) exit(run, end, progress);
  for (const run of allRuns(runtime)) forgetPrevious(run);
  runtime.sandbox = false;
  runtime.finished = true;
}

/**
 * No container gets a further run. Of a deleted pod the status shows how the last ones ended; of a pod that is past its
 * deadline the last sync still found them waiting for the next.
 */
function settleWaiting(runtime: PodRuntime, { pod }: Passage, stop: Stop): void {
  for (const run of allRuns(runtime)) {
    if (stop.cause === 'deletion' && run.exit && run.state !== 'running') {
      endRun(run, run.exit);
      forgetPrevious(run);
    } else if (stop.cause === 'deadline' && run.state === 'exited' && restarts(run, specOf(pod).restartPolicy ?? 'Always')) {
      waitInBackOff(run, pod, restartWaitMs(run));
    }
  }
}
