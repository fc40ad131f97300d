import { fact } from '#libs/events';
import { neverStarted, type ContainerRun } from '../container-run';
import type { Progress } from '../passage';

interface StartFailure {
  at: number;
  waits: object;
  gone: boolean;
}

/** Of a container that the runtime could not start. Its start is told as the beginning of time. */
export const startError = 'StartError';
const exitCode = 128;

/** The runtime creates the container and refuses to start it: with what it says. */
export function startRefusal(run: ContainerRun): string | undefined {
  const { failStart } = run.behaviour;
  const attempt = neverStarted(run) ? 0 : run.restartCount + 1;
  return failStart && attempt < (failStart.times ?? Number.POSITIVE_INFINITY) ? failStart.message : undefined;
}

/**
 * The container that was to begin counts as one that has ended at once.
 * @param at ms
 * @param waits what the fact says of the waits around it
 * @param gone no other run follows
 */
export function failToStart(run: ContainerRun, message: string, { at, waits, gone }: StartFailure, progress: Progress): void {
  // The status of one that gets no other run shows how it ended.
  run.state = gone ? 'exited' : 'waiting';
  run.startedAt = undefined;
  run.exit = { exitCode, reason: startError, message, startedAt: 0, finishedAt: at, containerId: run.containerId };
  run.waitingReason = 'RunContainerError';
  run.waitingMessage = message;
  progress.facts.push(
    fact('ContainerStartFailed', {
      container: run.container.name,
      image: run.container.image ?? '',
      ...(run.restartCount > 0 ? { restartCount: run.restartCount } : {}),
      imageID: run.imageId,
      message,
      ...(run.pull ? { pull: { ...run.pull } } : {}),
      ...waits,
    }),
  );
}
