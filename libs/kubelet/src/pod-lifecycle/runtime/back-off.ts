import { goDuration, type KubeObject } from '#libs/kernel';
import { annotatedDuration } from '../../behaviour';
import type { ContainerRun } from './container-run';

/** Waits before a restart, ms: the first restart is immediate, the last wait repeats (client-go `flowcontrol.Backoff`). */
const waitsMs = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000] as const;
/** A run that lasted longer than this ends the series. */
const resetAfterMs = 600_000;
/** A failed sync is repeated after this time; only then the status says CrashLoopBackOff. */
export const resyncMs = 10_000;
/** The wait that went before is read from whole seconds. */
const slackMs = 2_000;

/**
 * Wait before the next run of a container that has exited, ms from its end. The place in the series is read from the wait
 * that went before the run: nothing else has to be remembered.
 */
export function restartWaitMs(run: ContainerRun): number {
  const named = annotatedDuration(backOffMessage.exec(run.waitingMessage ?? '')?.[1]);
  if (named !== undefined) return named;
  if (run.restartCount === 0 || !run.exit) return 0;
  const { startedAt, finishedAt } = run.exit;
  if (startedAt === undefined || finishedAt === undefined) return waitsMs[0];
  if (finishedAt - startedAt > resetAfterMs) return 0;
  const before = run.previous?.finishedAt;
  if (before === undefined) return waitsMs[0];
  const waited = startedAt - run.behaviour.startupMs - before + slackMs;
  let step = 0;
  while (step < waitsMs.length - 1 && waited >= (waitsMs[step] as number)) step++;
  return waitsMs[step] as number;
}

const backOffMessage = /^back-off (\S+) restarting failed container=/;

export function crashLoopMessage(run: ContainerRun, pod: { name: string; namespace?: string; uid: string }, waitMs: number): string {
  return `back-off ${goDuration(waitMs)} restarting failed container=${run.container.name} pod=${podInFull(pod)}`;
}

/** How the kubelet names a pod in messages. */
export function podInFull(pod: { name: string; namespace?: string; uid: string }): string {
  return `${pod.name}_${pod.namespace ?? ''}(${pod.uid})`;
}

/** The wait as the status shows it. */
export function waitInBackOff(run: ContainerRun, pod: KubeObject, waitMs: number): void {
  run.state = 'waiting';
  run.waitingReason = 'CrashLoopBackOff';
  run.waitingMessage = crashLoopMessage(run, pod.metadata, waitMs);
}
