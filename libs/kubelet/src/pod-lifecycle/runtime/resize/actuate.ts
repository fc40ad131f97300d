import { usageAt, usageChangesAt } from '../../../behaviour';
import type { ContainerRun, PodRuntime } from '../container-run';
import { wakeBy, type Passage, type Progress } from '../passage';
import { allocatedMessage } from './allocated-message';
import { resizable } from './allocate';
import { amountsOf, changedResources, needsRestart } from './amounts';
import { resizeCondition } from './conditions';

/** From an attempt to the look at the container runtime that shows what came of it, ms. */
const lookMs = 500;
/** A sync that has failed is repeated after 10 s and up to half of it more: in the middle of that, ms. */
const repeatMs = 12_500;

/** Gives running containers what is set aside for them (upstream `doPodResizeAction`), and ends the resize when all have it. */
export function actuate(runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { resize } = runtime;
  if (!resize.inProgress || runtime.finished) return;
  const due = resizable(runtime).filter(isDue);
  // Those that are started anew come first, in the same sync.
  if (due.some((run) => needsRestart(run.container, run.actual, run.allocated))) return;
  if (due.length > 0) updateInPlace(due, runtime, passage, progress);
  if (resizable(runtime).some(isDue)) return;
  resize.inProgress = undefined;
  progress.notes.push({ type: 'Normal', reason: 'ResizeCompleted', message: `Pod resize completed: ${allocatedMessage(runtime)}` });
}

/** A container that does not run is given its new resources with its next run. */
function isDue(run: ContainerRun): boolean {
  return run.state === 'running' && changedResources(run.actual, run.allocated).length > 0;
}

function updateInPlace(due: readonly ContainerRun[], runtime: PodRuntime, passage: Passage, progress: Progress): void {
  const { pod, now } = passage;
  const { resize } = runtime;
  const begunAt = Math.max(resize.allocatedAt ?? now, ...resizable(runtime).map((run) => run.startedAt ?? 0));
  const attempt = Math.max(0, Math.floor((now - begunAt) / repeatMs));
  const triedAt = begunAt + attempt * repeatMs;
  const fail = (message: string, shownAt: number): void => {
    if (now >= shownAt) {
      const error = { reason: 'Error', message };
      resize.inProgress = resizeCondition('PodResizeInProgress', error, resize.inProgress, pod, now);
    } else wakeBy(progress, shownAt, now);
  };
  const excess = beyondUse(due, runtime, triedAt);
  if (excess) {
    // It is found before anything is tried: only the next sync shows it.
    fail(excess, begunAt + repeatMs);
    if (due.some(({ behaviour, startedAt = triedAt }) => usageChangesAt(behaviour.memory, triedAt - startedAt) !== undefined)) {
      wakeBy(progress, triedAt + repeatMs, now);
    }
    return;
  }
  const refused = due.find((run) => run.behaviour.resizeFails !== undefined);
  if (refused) fail(`rpc error: code = Unknown desc = ${refused.behaviour.resizeFails}`, begunAt + lookMs);
  else if (now < triedAt + lookMs) wakeBy(progress, triedAt + lookMs, now);
  else for (const run of due) run.actual = run.allocated;
}

/** Memory limits are not lowered below what is used at the moment (upstream `validateMemoryResizeAction`). */
function beyondUse(due: readonly ContainerRun[], runtime: PodRuntime, at: number): string | undefined {
  const used = (run: ContainerRun): number => Math.round(usageAt(run.behaviour.memory, at - (run.startedAt ?? at)) ?? 0);
  const running = resizable(runtime).filter((run) => run.state === 'running');
  const podUse = running.reduce((sum, run) => sum + used(run), 0);
  const limit = (run: ContainerRun, of: 'actual' | 'allocated'): number => amountsOf(run[of]).memoryLimit / 1000;
  const problems: string[] = [];
  const podLimit = sumOf(running, 'allocated', limit);
  if (podLimit < sumOf(running, 'actual', limit) && podUse >= podLimit) {
    problems.push(`attempting to set pod memory limit (${podLimit}) below current usage (${podUse})`);
  }
  for (const run of due) {
    const asked = limit(run, 'allocated');
    const is = limit(run, 'actual') || Number.POSITIVE_INFINITY;
    if (asked === 0 || asked >= is || used(run) < asked) continue;
    // The pod's use, not the container's: so upstream says it.
    problems.push(`attempting to set container "${run.container.name}" memory limit (${asked}) below current usage (${podUse})`);
  }
  if (problems.length === 0) return undefined;
  return `cannot decrease memory limits: ${problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`}`;
}

/** A pod has a limit if all of its containers have. */
function sumOf(
  runs: readonly ContainerRun[],
  of: 'actual' | 'allocated',
  limit: (run: ContainerRun, of: 'actual' | 'allocated') => number,
): number {
  return runs.reduce((sum, run) => sum + (limit(run, of) || Number.POSITIVE_INFINITY), 0);
}
