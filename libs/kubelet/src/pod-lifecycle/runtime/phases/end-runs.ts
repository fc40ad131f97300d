import { fact } from '#libs/events';
import { runOf } from '../../../behaviour';
import { allRuns, endRun, exitOf, type ContainerRun, type PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { needsRestart } from '../resize';
import { definitionChanged } from '../starts';
import { ownEndOf } from '../stop-plan';

/** How and when (ms) a run ends, or will. */
export interface RunEnd {
  at: number;
  exitCode: number;
  /** `Completed` or `Error`, by the code, where nothing is said. */
  reason?: string;
  message?: string;
  /** What ended it starts the next run in the same sync: nothing is told before. */
  thenStarts?: boolean;
}

/** Something that ends a running container's run; undefined: it does not, as things are. Its Events it notes itself, when they are due. */
export type RunEnder = (run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress) => RunEnd | undefined;

/** The earliest end counts; of two in the same instant the one that stands before the other here. */
const runEnders: readonly RunEnder[] = [byItself, changedDefinition, resizeByRestart];

/** Runs that are over, one by one; the pod goes on. */
export function endRuns(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  for (const run of allRuns(runtime)) {
    if (run.state !== 'running') continue;
    const end = firstEnd(run, runtime, passage, progress);
    if (!end) continue;
    const toldAt = end.at + (end.thenStarts ? run.behaviour.startupMs : 0);
    if (toldAt > passage.now) wakeBy(progress, toldAt, passage.now);
    else exit(run, end, progress);
  }
}

function firstEnd(run: ContainerRun, runtime: PodRuntime, passage: Passage, progress: Progress): RunEnd | undefined {
  let first: RunEnd | undefined;
  for (const ask of runEnders) {
    const end = ask(run, runtime, passage, progress);
    if (end && (!first || end.at < first.at)) first = end;
  }
  return first;
}

export function exit(run: ContainerRun, { exitCode, at, reason, message }: RunEnd, progress: Progress): void {
  const ended = {
    ...exitOf(run, exitCode, at),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  endRun(run, ended);
  progress.facts.push(fact('ContainerExited', { container: run.container.name, exitCode, reason: ended.reason }));
}

function byItself(run: ContainerRun): RunEnd | undefined {
  const at = ownEndOf(run);
  if (at === undefined) return undefined;
  const { exitCode, oomKilled, message } = runOf(run.behaviour, run.restartCount);
  return { at, exitCode, message, ...(oomKilled ? { reason: 'OOMKilled' } : {}) };
}

/** The container's image was changed. */
function changedDefinition(run: ContainerRun, runtime: PodRuntime, { now }: Passage): RunEnd | undefined {
  if (!definitionChanged(run)) return undefined;
  const { afterMs = 0, exitCode } = run.behaviour.onTerm;
  return { at: (runtime.observedAt ?? now) + afterMs, exitCode, thenStarts: true };
}

/** The container is to have other resources, and its resize policy says that it cannot have them while it runs. */
function resizeByRestart(run: ContainerRun, { resize }: PodRuntime, { now }: Passage): RunEnd | undefined {
  if (!needsRestart(run.container, run.actual, run.allocated)) return undefined;
  const { afterMs = 0, exitCode } = run.behaviour.onTerm;
  return { at: (resize.allocatedAt ?? now) + afterMs, exitCode, thenStarts: true };
}
