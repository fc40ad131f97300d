import { specOf } from '../../pod-types';
import { relistMs, slowStartMs } from '../back-off';
import { containerMade, lastAttempt } from '../before-start/container-made';
import { sandboxMade } from '../before-start/sandbox-made';
import type { StartGate, Turn } from '../before-start/start-gate';
import { volumesMounted } from '../before-start/volumes-mounted';
import { allRuns, type ContainerRun, type PodRuntime } from '../container-run';
import { hookOutcome } from '../hooks';
import type { Passage, Progress } from '../passage';
import { plannedStarts, type PlannedStart } from '../starts';
import { networkIsReady } from './network-gate';

/** What has to be done before a container is started: one after the other, each from the moment that the one before it gives. */
export const startGates: readonly StartGate[] = [networkIsReady, volumesMounted, sandboxMade, containerMade];

/** A sync of the pod that goes on although the pod is to stop: nothing ends it before it is through. Ms. */
export interface SyncUnderWay {
  /** When the order to stop came. */
  orderedAt: number;
  overAt: number;
  /** When the order is heeded: once the kubelet has found out what the sync has left behind. */
  heededAt: number;
}

/**
 * The sync that an order to stop finds under way (upstream pod workers: one does a thing at a time, and pulls, slow starts and postStart
 * hooks are not given up); undefined: there is none, or nothing in it that takes long. What a kubelet knows when it begins comes before any.
 */
export function syncUnderWay(runtime: PodRuntime, passage: Passage, orderedAt: number): SyncUnderWay | undefined {
  if (orderedAt <= (runtime.ground.kubeletStartedAt ?? 0)) return undefined;
  const overAt = Math.max(shownUntil(runtime, passage, orderedAt), plannedUntil(runtime, passage, orderedAt));
  return overAt > orderedAt ? { orderedAt, overAt, heededAt: overAt + relistMs } : undefined;
}

/** Whether a start had its turn when the order came. */
export function isPartOf({ orderedAt }: SyncUnderWay, { run, at }: PlannedStart): boolean {
  return at - run.behaviour.startupMs <= orderedAt;
}

/** Of containers that the status shows already. */
function shownUntil(runtime: PodRuntime, { pod }: Passage, orderedAt: number): number {
  let until = orderedAt;
  for (const run of allRuns(runtime)) {
    const startedAt = run.startedAt ?? run.exit?.startedAt;
    if (startedAt !== undefined) until = Math.max(until, startedAt + hookMs(run, startedAt, pod));
  }
  return until;
}

function hookMs(run: ContainerRun, startedAt: number, pod: Passage['pod']): number {
  return hookOutcome(run.container.lifecycle?.postStart, run, pod, { startedAt, at: startedAt })?.takesMs ?? 0;
}

/** Of those that are being started. */
function plannedUntil(runtime: PodRuntime, passage: Passage, orderedAt: number): number {
  let busyUntil = orderedAt;
  for (const { run, at } of plannedStarts(runtime, specOf(passage.pod).restartPolicy ?? 'Always', orderedAt)) {
    const { startupMs } = run.behaviour;
    if (at - startupMs > orderedAt) continue;
    const then = { ...passage, now: busyUntil };
    const due = Math.max(at - startupMs, runtime.ground.kubeletStartedAt ?? 0);
    const turn = mayBeMade({ run, at: busyUntil > orderedAt ? busyUntil : due }, runtime, then);
    if (turn === undefined) continue;
    const attempt = lastAttempt({ run, at: turn }, runtime, then);
    if (attempt.failure) busyUntil = Math.max(busyUntil, attempt.ends);
    else {
      const startAt = attempt.ends + startupMs;
      const doneAt = startAt + hookMs(run, startAt, passage.pod);
      const isHeld = busyUntil > orderedAt || attempt.ends > turn || doneAt > startAt || startupMs >= slowStartMs;
      if (isHeld) busyUntil = Math.max(busyUntil, doneAt);
    }
  }
  return busyUntil;
}

/** From when the runtime can be asked for the container, ms; undefined: that has not come to pass. */
function mayBeMade({ run, at }: Turn, runtime: PodRuntime, passage: Passage): number | undefined {
  const unheard: Progress = { facts: [], notes: [] };
  let turn = at;
  for (const gate of startGates) {
    if (gate === containerMade) break;
    const passed = gate({ run, at: turn }, runtime, passage, unheard);
    if (typeof passed !== 'number' || passed > passage.now) return undefined;
    turn = passed;
  }
  return turn;
}
