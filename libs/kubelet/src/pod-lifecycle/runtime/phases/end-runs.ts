import { fact } from '#libs/events';
import { allRuns, endRun, exitOf, type ContainerRun, type PodRuntime } from '../container-run';
import { ownGraceSeconds } from '../hooks';
import { ownEndOf, type RunEnd } from '../own-end';
import { wakeBy, type Passage, type Progress } from '../passage';
import { needsRestart } from '../resize';
import { definitionChanged } from '../starts';
import { killRun } from './kill-run';
import { podOutOfMemory } from './pod-memory';
import { killedByProbe } from './probe-runs';

/** Something that ends a running container's run; undefined: it does not, as things are. Its Events it notes itself, when they are due. */
export type RunEnder = (run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress) => RunEnd | undefined;

/** The earliest end counts; of two in the same instant the one that stands before the other here. */
const runEnders: readonly RunEnder[] = [ownEndOf, podOutOfMemory, sandboxGone, changedDefinition, resizeByRestart, killedByProbe];

/** Runs that are over, one by one; the pod goes on. */
export function endRuns(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running') continue;
    const end = firstEnd(run, runtime, passage, progress);
    if (!end) continue;
    const toldAt = end.at + (end.killed && !end.isLast ? run.behaviour.startupMs : 0);
    if (toldAt > passage.now) wakeBy(progress, toldAt, passage.now);
    else {
      exit(run, end, passage, progress);
      if (end.endsPod) runtime.sandbox = false;
    }
  }
  noteSandbox(runtime);
}

function firstEnd(run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress): RunEnd | undefined {
  let first: RunEnd | undefined;
  for (const ask of runEnders) {
    const end = ask(run, runtime, passage, progress);
    if (end && (!first || end.at < first.at)) first = end;
  }
  return first;
}

export function exit(run: ContainerRun, end: RunEnd, { now }: Pick<Passage, 'now'>, progress: Progress): void {
  const { exitCode, at, reason, message, killed } = end;
  const ended = {
    ...exitOf(run, exitCode, at),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  endRun(run, ended);
  if (killed) run.killed = true;
  const told = { container: run.container.name, exitCode, reason: ended.reason };
  progress.facts.push(fact('ContainerExited', { ...told, ...(at < now ? { at } : {}), ...(killed ? { killed } : {}) }));
}

/** The pod's sandbox has died, and all that ran in it. */
function sandboxGone(run: ContainerRun, { sandboxDiedAt, hasRebooted }: PodRuntime): RunEnd | undefined {
  if (sandboxDiedAt === undefined || (run.startedAt ?? 0) >= sandboxDiedAt) return undefined;
  return hasRebooted ? { at: sandboxDiedAt, exitCode: 255, reason: 'Unknown' } : { at: sandboxDiedAt, exitCode: 137 };
}

/** A sandbox that died is gone until a container is started in another; with the machine goes the memory of its address. */
function noteSandbox(runtime: PodRuntime): void {
  const { sandboxDiedAt } = runtime;
  if (sandboxDiedAt === undefined) return;
  let latest = 0;
  for (const run of allRuns(runtime)) latest = Math.max(latest, run.startedAt ?? run.exit?.startedAt ?? 0);
  if (latest >= sandboxDiedAt) return;
  runtime.sandbox = false;
  if (runtime.hasRebooted) runtime.podIP = undefined;
}

/** The container's image was changed. */
function changedDefinition(run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress): RunEnd | undefined {
  if (!definitionChanged(run)) return undefined;
  const { pod, now } = passage;
  const message = `Container ${run.container.name} definition changed, will be restarted`;
  return killRun(run, { at: runtime.observedAt ?? now, graceSeconds: ownGraceSeconds(pod), message }, passage, progress);
}

/** The container is to have other resources, and its resize policy says that it cannot have them while it runs. */
function resizeByRestart(run: ContainerRun, { resize }: PodRuntime, passage: Passage, progress: Progress): RunEnd | undefined {
  if (!needsRestart(run.container, run.actual, run.allocated)) return undefined;
  const { pod, now } = passage;
  const message = `Container ${run.container.name} resize requires restart`;
  return killRun(run, { at: resize.allocatedAt ?? now, graceSeconds: ownGraceSeconds(pod), message }, passage, progress);
}
