import { runOf } from '../../behaviour';
import { allRuns, type ContainerRun, type PodRuntime, type Verdict } from './container-run';
import type { Note } from './passage';

/** All containers are to stop: since when (ms), and how long they are given (seconds). */
export interface Stop {
  /** `order`: the kubelet ends the pod for a reason of its own, which is the verdict. */
  cause: 'deletion' | 'deadline' | 'completion' | 'order';
  at: number;
  graceSeconds: number;
  /** The pod fails with it, whatever its containers end with. */
  verdict?: Verdict;
  /** Told once, when the containers begin to stop. */
  note?: Note;
}

/** How a stopped container will end. */
export interface PlannedEnd {
  run: ContainerRun;
  at: number;
  exitCode: number;
}

export interface StopPlan {
  ends: PlannedEnd[];
  /** When the last one has ended; the moment of the order where nothing runs. */
  over: number;
}

/** Least grace of a pod at the kubelet, seconds. */
const podGraceMinSeconds = 1;
/** Least time from TERM to KILL, ms, whatever preStop hooks and waiting have used up. */
const killDelayMinMs = 2_000;
/** Exit code of a container that was killed. */
const killed = 137;

/**
 * Ends of the running containers (upstream kuberuntime `killContainer` and termination order): all begin at once; each main
 * container runs its preStop hook, gets TERM, and KILL after the rest of the grace. A sidecar waits in between for the main
 * containers and for the sidecars after it. Waiting and hooks use up the grace.
 */
export function planStop(runtime: PodRuntime, stop: Stop): StopPlan {
  const ends: PlannedEnd[] = [];
  let over = stop.at;
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running' || run.role === 'sidecar') continue;
    ends.push(endOf(run, stop, stop.at));
  }
  let othersOver = stop.at;
  for (const end of ends) if (end.run.role === 'main') othersOver = Math.max(othersOver, end.at);
  for (let i = runtime.init.length - 1; i >= 0; i--) {
    const run = runtime.init[i] as ContainerRun;
    if (run.state !== 'running' || run.role !== 'sidecar') continue;
    const end = endOf(run, stop, othersOver);
    othersOver = Math.max(othersOver, end.at);
    ends.push(end);
  }
  for (const end of ends) over = Math.max(over, end.at);
  return { ends, over };
}

function endOf(run: ContainerRun, stop: Stop, notBefore: number): PlannedEnd {
  const graceMs = Math.max(podGraceMinSeconds, stop.graceSeconds) * 1000;
  const hookMs = (run.container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000;
  const termAt = Math.max(stop.at + Math.min(hookMs, graceMs), notBefore);
  const killAt = termAt + Math.max(killDelayMinMs, graceMs - (termAt - stop.at));
  const { onTerm } = run.behaviour;
  const heeded = onTerm.afterMs === undefined ? Number.POSITIVE_INFINITY : termAt + onTerm.afterMs;
  const end = heeded <= killAt ? { run, at: heeded, exitCode: onTerm.exitCode } : { run, at: killAt, exitCode: killed };
  const byItself = ownEndOf(run);
  if (byItself === undefined || byItself >= end.at) return end;
  return { run, at: Math.max(byItself, stop.at), exitCode: runOf(run.behaviour, run.restartCount).exitCode };
}

/** When a running container ends by itself, ms; undefined: never. */
export function ownEndOf(run: ContainerRun): number | undefined {
  const { runForMs } = runOf(run.behaviour, run.restartCount);
  return runForMs === undefined || run.startedAt === undefined ? undefined : run.startedAt + runForMs;
}
