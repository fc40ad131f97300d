import type { KubeObject } from '#libs/kernel';
import { allRuns, type ContainerRun, type PodRuntime, type Verdict } from './container-run';
import { hookOutcome } from './hooks';
import { ownEndOf, type RunEnd } from './own-end';
import type { Note } from './passage';

/** All containers are to stop: since when (ms), and how long they are given (seconds). */
export interface Stop {
  /** `order`: the kubelet ends the pod for a reason of its own, which is the verdict. */
  cause: 'deletion' | 'deadline' | 'completion' | 'order';
  at: number;
  graceSeconds: number;
  /** The pod fails with it, whatever its containers end with. */
  verdict?: Verdict;
  /** Told when the containers begin to stop. */
  note?: Note;
  /** How often it has happened then, and when all is over; absent: once. */
  noteTimes?: { begun: number; over: number };
}

/** How a stopped container will end. */
export interface PlannedEnd extends RunEnd {
  run: ContainerRun;
  /** When its preStop hook will have failed, ms. */
  hookFailsAt?: number;
}

export interface StopPlan {
  ends: PlannedEnd[];
  /** When the last one has ended; the moment of the order where nothing runs. */
  over: number;
}

/** Least grace of a pod at the kubelet, seconds. */
const podGraceMinSeconds = 1;
/** Least time from TERM to KILL, seconds, whatever preStop hooks and waiting have used up. */
const killDelayMinSeconds = 2;
/** Exit code of a container that was killed. */
const killed = 137;

/**
 * Ends of the running containers (upstream kuberuntime `killContainer` and termination order): all begin at once; each main
 * container runs its preStop hook, gets TERM, and KILL after the rest of the grace. A sidecar waits in between for the main
 * containers and for the sidecars after it. Waiting and hooks use up the grace.
 */
export function planStop(runtime: PodRuntime, stop: Stop, pod: KubeObject): StopPlan {
  const ends: PlannedEnd[] = [];
  const graceSeconds = Math.max(podGraceMinSeconds, stop.graceSeconds);
  const kill = (run: ContainerRun, notBefore: number): PlannedEnd => killedEnd(run, { at: stop.at, graceSeconds, notBefore }, pod);
  let over = stop.at;
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running' || run.role === 'sidecar') continue;
    ends.push(kill(run, stop.at));
  }
  let othersOver = stop.at;
  for (const end of ends) if (end.run.role === 'main') othersOver = Math.max(othersOver, end.at);
  for (let i = runtime.init.length - 1; i >= 0; i--) {
    const run = runtime.init[i] as ContainerRun;
    if (run.state !== 'running' || run.role !== 'sidecar') continue;
    const end = kill(run, othersOver);
    othersOver = Math.max(othersOver, end.at);
    ends.push(end);
  }
  for (const end of ends) over = Math.max(over, end.at);
  return { ends, over };
}

/** An order to stop one container. */
export interface Kill {
  /** Ms since the epoch. */
  at: number;
  /** 0: without its hook. */
  graceSeconds: number;
  /** TERM waits for the containers before it, ms; absent: it waits for none. */
  notBefore?: number;
}

/** How a running container ends that is told to: at the latest by KILL. Both hook and waiting count in whole seconds. */
export function killedEnd(run: ContainerRun, { at, graceSeconds, notBefore = at }: Kill, pod: KubeObject): PlannedEnd {
  const startedAt = run.startedAt ?? at;
  const hook = graceSeconds > 0 ? hookOutcome(run.container.lifecycle?.preStop, run, pod, { startedAt, at }) : undefined;
  const hookMs = Math.min(hook?.takesMs ?? 0, graceSeconds * 1000);
  let graceLeft = graceSeconds - Math.floor(hookMs / 1000);
  let termAt = at + hookMs;
  if (notBefore > termAt && graceLeft > 0) {
    const waitedMs = Math.min(notBefore - termAt, graceLeft * 1000);
    graceLeft -= Math.floor(waitedMs / 1000);
    termAt += waitedMs;
  }
  const killAt = termAt + Math.max(killDelayMinSeconds, graceLeft) * 1000;
  const { onTerm } = run.behaviour;
  const heeded = onTerm.afterMs === undefined ? Number.POSITIVE_INFINITY : termAt + onTerm.afterMs;
  let end: RunEnd = heeded <= killAt ? { at: heeded, exitCode: onTerm.exitCode } : { at: killAt, exitCode: killed };
  const own = ownEndOf(run);
  if (own && own.at < end.at) end = { ...own, at: Math.max(own.at, at) };
  return { run, ...end, ...(hook ? failureOf(hook, at, end.at) : {}) };
}

/** A hook that is not through when its container ends fails then. */
function failureOf({ takesMs, failure }: { takesMs: number; failure?: string }, at: number, endsAt: number): { hookFailsAt?: number } {
  if (at + takesMs > endsAt) return { hookFailsAt: endsAt };
  return failure === undefined ? {} : { hookFailsAt: at + takesMs };
}
