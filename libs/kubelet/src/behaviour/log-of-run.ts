import type { KubeObject } from '#libs/kernel';
import { runOf } from './run-of';
import type { ContainerRole, LogEntry, RunBehaviour } from './container-behaviour';
import { valuesOf } from './container-annotations';
import { runsOf } from './run-annotations';

/** What annotations let a run write, and how long it lasts by itself, ms. */
export interface LogOfRun {
  entries: readonly LogEntry[];
  runForMs: number | undefined;
}

/** The log that annotations give to a container's run; undefined: they say nothing of it. */
export function logOfRun(pod: KubeObject, container: string, restartCount: number): LogOfRun | undefined {
  const role = roleOf(pod, container);
  const runs: RunBehaviour[] = runsOf(valuesOf(pod, { name: container }, role), role);
  const run = runOf({ runs, seed: `${pod.metadata.uid}/${container}` }, restartCount);
  return run.log && { entries: run.log, runForMs: run.runForMs };
}

interface Named {
  name: string;
  restartPolicy?: string;
}

function roleOf({ spec = {} }: KubeObject, name: string): ContainerRole {
  const among = (list: unknown): Named | undefined => (list as Named[] | undefined)?.find((each) => each.name === name);
  const init = among(spec.initContainers);
  if (init) return init.restartPolicy === 'Always' ? 'sidecar' : 'init';
  return among(spec.ephemeralContainers) ? 'ephemeral' : 'main';
}

/** Lines of one log that are kept: the last ones, as a node keeps its files small. */
const linesMax = 5_000;
/** How much sooner than by itself a run may seem to end: statuses say whole seconds, ms. */
const secondMs = 1_000;

/**
 * What a run has written, ms from its start, in order.
 * @param fromMs only what comes after this moment
 * @param untilMs and not after this one
 * @param endedMs how long the run lasted, where it is over
 */
export function writtenUpTo(
  { entries, runForMs }: LogOfRun,
  { fromMs = Number.NEGATIVE_INFINITY, untilMs, endedMs }: { fromMs?: number; untilMs: number; endedMs?: number },
): [atMs: number, text: string][] {
  const endedByItself = endedMs !== undefined && runForMs !== undefined && endedMs > runForMs - secondMs;
  const written: [number, string][] = [];
  for (const { atMs, everyMs, atEnd, text } of entries) {
    const line = `${text}\n`;
    if (atEnd) {
      if (endedByItself && endedMs > fromMs) written.push([endedMs, line]);
      continue;
    }
    if (atMs > untilMs) continue;
    const last = everyMs === undefined ? 0 : Math.floor((untilMs - atMs) / everyMs);
    for (let turn = Math.max(0, last - linesMax + 1); turn <= last; turn++) {
      const at = atMs + turn * (everyMs ?? 0);
      if (at > fromMs) written.push([at, line]);
    }
  }
  return written.sort(([a], [b]) => a - b).slice(-linesMax);
}

/** When the run writes next after a moment, ms from its start; undefined: no more before its end. */
export function writesAfter({ entries }: LogOfRun, ms: number): number | undefined {
  let next: number | undefined;
  for (const { atMs, everyMs, atEnd } of entries) {
    if (atEnd) continue;
    const at = atMs > ms ? atMs : everyMs === undefined ? undefined : atMs + (Math.floor((ms - atMs) / everyMs) + 1) * everyMs;
    if (at !== undefined && (next === undefined || at < next)) next = at;
  }
  return next;
}
