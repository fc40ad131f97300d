import { countsFrom, relistMs, restartWaitMs } from './back-off';
import { startError } from './before-start/start-refused';
import { allRuns, hasInitialized, neverStarted, type ContainerRun, type PodRuntime } from './container-run';
import { PodSyncs } from './pod-syncs';
import { startedAtOf } from './probes';
import { resolvedImage } from '../images';

/** A container whose next run begins at this moment (ms), unless something happens before. */
export interface PlannedStart {
  run: ContainerRun;
  at: number;
}

/** The image in the spec is no longer the one that the container was made from: it is made anew, without a wait. */
export function definitionChanged(run: ContainerRun): boolean {
  if (run.containerId === undefined || run.role === 'ephemeral') return false;
  return resolvedImage(run.image).image !== resolvedImage(run.container.image ?? '').image;
}

/** Whether a container that has exited gets another run. */
export function restarts(run: ContainerRun, restartPolicy: string): boolean {
  if (run.role === 'sidecar' || restartPolicy === 'Always')
    return run.role !== 'ephemeral' && !(run.role === 'init' && run.exit?.exitCode === 0);
  if (run.role === 'ephemeral') return false;
  if (run.role === 'main' && definitionChanged(run)) return true;
  if (restartPolicy !== 'OnFailure') return false;
  // One that the kubelet has ended is started in the same sync, whatever it ended with, unless it has to wait.
  return run.exit?.exitCode !== 0 || (run.killed === true && !hasToWait(run));
}

/** Its next run is that of another container, for which nothing is known to fail. */
export function isAnother(run: ContainerRun): boolean {
  return definitionChanged(run) || (run.resizedAt ?? 0) > (run.exit?.finishedAt ?? Number.POSITIVE_INFINITY);
}

/** When a container's next run begins, ms. */
export function restartAt(run: ContainerRun, runtime: PodRuntime): number {
  return waitsUntil(run, runtime) + run.behaviour.startupMs;
}

/** When the end of its latest run was found, ms: one that ended during the sync that started it is found by the next. */
export function foundAt({ exit, shownAt = 0 }: ContainerRun): number {
  return Math.max(exit?.finishedAt ?? 0, shownAt);
}

/** Its next run has to wait: the one before it ended too short a while ago. */
function hasToWait(run: ContainerRun): boolean {
  const finishedAt = run.exit?.finishedAt ?? 0;
  return !isAnother(run) && (countsFrom(run) ?? finishedAt) + restartWaitMs(run) > finishedAt;
}

/**
 * When a container has its next turn, ms: at the first sync of its pod after its wait. A container that the kubelet itself has ended is in
 * a sync already; if it cannot be started in that, the wait counts from its own end.
 */
export function waitsUntil(run: ContainerRun, runtime: PodRuntime): number {
  const finishedAt = run.exit?.finishedAt ?? 0;
  if (!hasToWait(run)) return run.exit?.reason === startError && !isAnother(run) ? finishedAt + relistMs : foundAt(run);
  return new PodSyncs(run, runtime).after(finishedAt + restartWaitMs(run) - 1);
}

/**
 * Starts that are ahead: init containers one after the other (a plain one must have ended with 0, a sidecar must have
 * started), then all main containers; containers that have exited and get another run; ephemeral ones beside them.
 */
export function plannedStarts(runtime: PodRuntime, restartPolicy: string, now: number): PlannedStart[] {
  if (restartPolicy === 'Never' && staysDown(runtime)) return [];
  const initialized = hasInitialized(runtime) && !isRenewed(runtime);
  const starts: PlannedStart[] = [];
  let turn: number | undefined = runtime.acceptedAt;
  for (const run of runtime.init) {
    if (isStale(run, runtime) && turn !== undefined) {
      starts.push({ run, at: Math.max(turn, runtime.sandboxDiedAt ?? turn) + run.behaviour.startupMs });
      return starts;
    }
    if (run.state === 'exited' || run.exit) {
      if (restarts(run, restartPolicy) && (!initialized || run.role === 'sidecar')) starts.push({ run, at: restartAt(run, runtime) });
    } else if (neverStarted(run) && turn !== undefined && !initialized) {
      starts.push({ run, at: turn + run.behaviour.startupMs });
    }
    turn = passedAt(run, turn, now);
    if (turn === undefined && !initialized) return starts;
  }
  for (const run of runtime.main) {
    if (neverStarted(run)) starts.push({ run, at: (turn ?? runtime.acceptedAt) + run.behaviour.startupMs });
    else if (run.state !== 'running' && restarts(run, restartPolicy)) starts.push({ run, at: restartAt(run, runtime) });
  }
  for (const run of runtime.ephemeral) {
    if (neverStarted(run)) starts.push({ run, at: (runtime.observedAt ?? 0) + run.behaviour.startupMs });
  }
  return starts;
}

/** What ran in a sandbox that has died is not run in another, where nothing is to be restarted (upstream `computePodActions`). */
function staysDown(runtime: PodRuntime): boolean {
  const { sandboxDiedAt } = runtime;
  if (sandboxDiedAt === undefined) return false;
  const started = allRuns(runtime).flatMap(({ startedAt, exit }) => startedAt ?? exit?.startedAt ?? []);
  return started.length > 0 && started.every((at) => at < sandboxDiedAt);
}

/** The sandbox has died, and no main container has run in another yet. */
function isRenewed({ sandboxDiedAt = 0, main }: PodRuntime): boolean {
  return main.every(({ startedAt, exit }) => (startedAt ?? exit?.startedAt ?? 0) < sandboxDiedAt);
}

/** An init container that had its run in a sandbox that has died runs again in the next. */
export function isStale(run: ContainerRun, { sandboxDiedAt }: PodRuntime): boolean {
  if (sandboxDiedAt === undefined || run.role !== 'init' || run.state !== 'exited') return false;
  return (run.exit?.startedAt ?? 0) < sandboxDiedAt && run.exit?.exitCode === 0;
}

/** Init containers and sidecars of a sandbox that has died are removed before there is another (upstream `purgeInitContainers`). */
export function isPurged(run: ContainerRun, { sandboxDiedAt }: PodRuntime): boolean {
  if (sandboxDiedAt === undefined || (run.role !== 'init' && run.role !== 'sidecar')) return false;
  return (run.exit?.startedAt ?? 0) < sandboxDiedAt;
}

/** When the next container in line had its turn because of this init container; undefined: not yet. */
function passedAt(run: ContainerRun, turn: number | undefined, now: number): number | undefined {
  if (turn === undefined) return undefined;
  const startedAt = startedAtOf(run, now);
  if (run.role === 'sidecar') return startedAt !== undefined && run.state === 'running' ? Math.max(turn, startedAt) : undefined;
  return run.state === 'exited' && run.exit?.exitCode === 0 ? Math.max(turn, run.exit.finishedAt ?? turn) : undefined;
}
