import { restartWaitMs } from './back-off';
import { hasInitialized, neverStarted, type ContainerRun, type PodRuntime } from './container-run';
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
  return restartPolicy === 'OnFailure' && run.exit?.exitCode !== 0;
}

/** Its next run is that of another container, for which nothing is known to fail. */
export function isAnother(run: ContainerRun): boolean {
  return definitionChanged(run) || (run.resizedAt ?? 0) > (run.exit?.finishedAt ?? Number.POSITIVE_INFINITY);
}

export function restartAt(run: ContainerRun): number {
  const wait = isAnother(run) ? 0 : restartWaitMs(run);
  return (run.exit?.finishedAt ?? 0) + wait + run.behaviour.startupMs;
}

/**
 * Starts that are ahead: init containers one after the other (a plain one must have ended with 0, a sidecar must have
 * started), then all main containers; containers that have exited and get another run; ephemeral ones beside them.
 */
export function plannedStarts(runtime: PodRuntime, restartPolicy: string): PlannedStart[] {
  const initialized = hasInitialized(runtime);
  const starts: PlannedStart[] = [];
  let turn: number | undefined = runtime.acceptedAt;
  for (const run of runtime.init) {
    if (run.state === 'exited' || run.exit) {
      if (restarts(run, restartPolicy) && (!initialized || run.role === 'sidecar')) starts.push({ run, at: restartAt(run) });
    } else if (neverStarted(run) && turn !== undefined && !initialized) {
      starts.push({ run, at: turn + run.behaviour.startupMs });
    }
    turn = passedAt(run, turn);
    if (turn === undefined && !initialized) return starts;
  }
  for (const run of runtime.main) {
    if (neverStarted(run)) starts.push({ run, at: (turn ?? runtime.acceptedAt) + run.behaviour.startupMs });
    else if (run.state !== 'running' && restarts(run, restartPolicy)) starts.push({ run, at: restartAt(run) });
  }
  for (const run of runtime.ephemeral) {
    if (neverStarted(run)) starts.push({ run, at: (runtime.observedAt ?? 0) + run.behaviour.startupMs });
  }
  return starts;
}

/** When the next container in line had its turn because of this init container; undefined: not yet. */
function passedAt(run: ContainerRun, turn: number | undefined): number | undefined {
  if (turn === undefined) return undefined;
  if (run.role === 'sidecar') return run.state === 'running' ? Math.max(turn, startedAtOf(run)) : undefined;
  return run.state === 'exited' && run.exit?.exitCode === 0 ? Math.max(turn, run.exit.finishedAt ?? turn) : undefined;
}
