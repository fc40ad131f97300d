import { fact } from '#libs/events';
import { specOf } from '../../pod-types';
import { relistMs, restartWaitMs, waitInBackOff } from '../back-off';
import { allRuns, endRun, forgetPrevious, type PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { restarts } from '../starts';
import { planStop, type Stop, type StopPlan } from '../stop-plan';
import { tell } from '../tell';
import { exit } from './end-runs';
import { tellOfHook } from './kill-run';

/** Stops every container for good: tells that it begins, and, once the last one has ended, how. */
export function stopAll(runtime: PodRuntime, passage: Passage, stop: Stop, progress: Progress, announced: boolean): void {
  const { pod, now } = passage;
  const plan = planStop(runtime, stop, pod);
  if (stop.cause === 'order') tellOfOrder(plan, passage, stop, progress);
  else if (!announced && plan.ends.length > 0) {
    const containers = plan.ends.map((end) => end.run.container.name);
    progress.facts.push(fact('ContainersStopping', { containers, gracePeriodSeconds: stop.graceSeconds }));
  }
  const isOver = now >= plan.over;
  const { begun, over } = stop.noteTimes ?? { begun: 1, over: 1 };
  if (stop.note) tell(progress, passage, stop.note, { times: isOver ? over : begun, since: stop.at });
  for (const end of plan.ends) tellOfHook(end, stop.at, passage, progress);
  settleWaiting(runtime, passage, stop);
  if (!isOver) {
    wakeBy(progress, plan.over, now);
    return;
  }
  for (const { run, hookFailsAt: _hook, ...end } of plan.ends) exit(run, end, passage, progress);
  if (plan.ends.length > 0) runtime.sandbox = false;
  const isToldOf = stop.cause !== 'completion' || isSettled(runtime, passage, progress);
  if (isToldOf || plan.ends.length > 0) for (const run of allRuns(runtime)) if (isToldOf || run.exitShown) forgetPrevious(run);
  if (!isToldOf) return;
  runtime.sandbox = false;
  runtime.finished = true;
}

/** A pod that has done its work is told to be over when the kubelet has found everything in it stopped. */
function isSettled(runtime: PodRuntime, { now }: Passage, progress: Progress): boolean {
  let settledAt = 0;
  for (const { state, exit, killed } of allRuns(runtime)) {
    // Of one that a sync has ended the next relist tells, and then the pod's end waits for another.
    const relists = killed ? 2 : 1;
    if (state === 'exited') settledAt = Math.max(settledAt, (exit?.finishedAt ?? 0) + relists * relistMs);
  }
  wakeBy(progress, settledAt, now);
  return now >= settledAt;
}

/** An order of the kubelet shows in no status before all is over: only its Events tell of it. */
function tellOfOrder({ ends }: StopPlan, passage: Passage, { at }: Stop, progress: Progress): void {
  const once = { times: 1, since: at };
  for (const { run } of ends) {
    const { name } = run.container;
    tell(progress, passage, { type: 'Normal', reason: 'Killing', message: `Stopping container ${name}`, container: name }, once);
  }
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
