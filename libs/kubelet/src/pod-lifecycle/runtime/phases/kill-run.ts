import type { ContainerRun } from '../container-run';
import type { RunEnd } from '../own-end';
import { wakeBy, type Passage, type Progress } from '../passage';
import { killedEnd, type Kill, type PlannedEnd } from '../stop-plan';
import { tell } from '../tell';

/**
 * The end of a container that the kubelet ends, though the pod goes on: told with its message when the order comes, `Killing` and what
 * comes of its hook. The next run follows at once.
 */
export function killRun(run: ContainerRun, kill: Kill & { message: string }, passage: Passage, progress: Progress): RunEnd {
  const { at, message } = kill;
  if (at <= passage.now) {
    const container = run.container.name;
    tell(progress, passage, { type: 'Normal', reason: 'Killing', message, container }, { times: 1, since: run.startedAt ?? at });
  } else wakeBy(progress, at, passage.now);
  const end = killedEnd(run, kill, passage.pod);
  tellOfHook(end, at, passage, progress);
  const { run: _run, hookFailsAt: _hook, ...planned } = end;
  return { ...planned, killed: true };
}

/** The preStop hook of a container under an order to stop has failed, or will. */
export function tellOfHook({ run, hookFailsAt }: PlannedEnd, since: number, passage: Passage, progress: Progress): void {
  if (hookFailsAt === undefined) return;
  wakeBy(progress, hookFailsAt, passage.now);
  if (hookFailsAt > passage.now) return;
  const note = { type: 'Warning', reason: 'FailedPreStopHook', message: 'PreStopHook failed', container: run.container.name } as const;
  tell(progress, passage, note, { times: 1, since });
}
