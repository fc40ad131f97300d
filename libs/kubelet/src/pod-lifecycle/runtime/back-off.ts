import { configHash } from '#libs/cluster-state';
import { goDuration, type KubeObject } from '#libs/kernel';
import type { ContainerRun } from './container-run';

/** Waits before a restart, ms: the first restart is immediate, the last wait repeats (client-go `flowcontrol.Backoff`). */
const firstWaitMs = 10_000;
const longestWaitMs = 300_000;
/** A run that lasted longer than this ends the series. */
const resetAfterMs = 600_000;
/** A sync that failed is repeated after ten seconds and up to half of that more (upstream `workerBackOffPeriod`): here after the mean. */
export const resyncMs = 12_500;
/** After this time the kubelet finds out by itself what has become of containers (upstream: generic PLEG). */
export const relistMs = 1_000;
/** A start that takes longer is told of when it begins, and keeps others waiting, ms. */
export const slowStartMs = 2_000;

/**
 * Wait before the next run of a container that has exited, ms from the end it is counted from (see `countsFrom`). A run that the kubelet
 * itself has ended is followed by the next one at once, unless the run before it ended too short a while ago.
 */
export function restartWaitMs(run: ContainerRun): number {
  if (run.backOffMs === undefined || countsFrom(run) === undefined || isOver(run)) return 0;
  return run.backOffMs;
}

/** The end that the wait is counted from, ms; undefined: there is none to be counted from. */
export function countsFrom(run: ContainerRun): number | undefined {
  const isWaiting = run.state === 'waiting' && run.waitingReason === 'CrashLoopBackOff';
  return run.killed && !isWaiting ? run.previous?.finishedAt : run.exit?.finishedAt;
}

/** The wait after the next run, which begins now; undefined: none, as after the first. */
export function nextWaitMs(run: ContainerRun): number | undefined {
  if (countsFrom(run) === undefined) return run.backOffMs;
  if (run.backOffMs === undefined || isOver(run)) return firstWaitMs;
  return Math.min(run.backOffMs * 2, longestWaitMs);
}

/** The series is: the last run lasted long enough. */
function isOver({ killed, exit }: ContainerRun): boolean {
  if (killed || !exit?.startedAt || exit.finishedAt === undefined) return false;
  return exit.finishedAt - exit.startedAt > resetAfterMs;
}

export function crashLoopMessage(run: ContainerRun, pod: { name: string; namespace?: string; uid: string }, waitMs: number): string {
  return `back-off ${goDuration(waitMs)} restarting failed container=${run.container.name} pod=${podInFull(pod)}`;
}

/** How the kubelet names a pod in messages. */
export function podInFull(pod: { name: string; namespace?: string; uid: string; annotations?: Record<string, string> }): string {
  return `${pod.name}_${pod.namespace ?? ''}(${pod.annotations?.[configHash] ?? pod.uid})`;
}

/** The wait as the status shows it. */
export function waitInBackOff(run: ContainerRun, pod: KubeObject, waitMs: number): void {
  run.state = 'waiting';
  run.waitingReason = 'CrashLoopBackOff';
  run.waitingMessage = crashLoopMessage(run, pod.metadata, waitMs);
}
