import type { KubeObject } from '#libs/kernel';
import { commandOf, followProgram, logOfRun, writtenUpTo, type OutputPiece, type ProgramContainer } from '#libs/kubelet';
import type { ClusterView } from '../serving/cluster-view';
import { containerNamed, statusOf } from './of-pod';
import { toldByKwok } from './kwok-logs';
import { worldOf } from './world';

/** A run of a container, as its pod's status has it. Times in ms since the epoch, whole seconds. */
export interface Run {
  container: string;
  restartCount: number;
  startedAt: number;
  /** Absent: it goes on. */
  finishedAt?: number;
}

/** The run that a log is asked of; undefined: there is none. */
export function runOf(pod: KubeObject, container: string, previous: boolean): Run | undefined {
  const status = statusOf(pod, container);
  const { state, lastState, restartCount = 0 } = status ?? {};
  const last = lastState?.terminated;
  const ended = previous ? last : (state?.terminated ?? (state?.running ? undefined : last));
  const started = previous ? last : (state?.running ?? ended);
  if (!started) return undefined;
  const isBefore = previous && restartCount > 0 && (state?.running !== undefined || state?.terminated !== undefined);
  return {
    container,
    restartCount: isBefore ? restartCount - 1 : restartCount,
    startedAt: Date.parse(started.startedAt ?? '') || 0,
    ...(ended?.finishedAt ? { finishedAt: Date.parse(ended.finishedAt) } : {}),
  };
}

/** What is written in place of a program that is not simulated. */
function stoodFor(pod: KubeObject, container: string): string {
  const { namespace, name } = pod.metadata;
  return `container ${container} of pod ${namespace}/${name} is simulated: nothing runs in it, so it writes nothing\n`;
}

/** Whether a container writes as its own program does. */
export function writesItself(pod: KubeObject, container: string): boolean {
  return logOfRun(pod, container, 0) === undefined && commandOf(containerNamed(pod, container) as ProgramContainer) !== undefined;
}

/** The end of a run is known to the second. */
const secondMs = 999;

/** What a run has written up to now. */
export async function outputOf(pod: KubeObject, run: Run, view: ClusterView): Promise<OutputPiece[]> {
  const untilMs = (run.finishedAt === undefined ? view.time : run.finishedAt + secondMs) - run.startedAt;
  const told = logOfRun(pod, run.container, run.restartCount);
  if (told) return writtenUpTo(told, { untilMs, endedMs: run.finishedAt === undefined ? undefined : run.finishedAt - run.startedAt });
  const isPrevious = run.restartCount < (statusOf(pod, run.container)?.restartCount ?? 0);
  const ofKwok = await toldByKwok(pod, { ...run, isPrevious }, view);
  if (ofKwok) return ofKwok;
  const settled = view.settledProgram(pod.metadata.uid, run.container, run.restartCount);
  if (settled) return settled.output.filter(([atMs]) => atMs <= untilMs);
  const spec = containerNamed(pod, run.container) as ProgramContainer;
  const followed = commandOf(spec) && followProgram(pod, spec, await worldOf(pod, view), run.startedAt, { untilMs });
  return followed ? followed.output : [[0, stoodFor(pod, run.container)]];
}
