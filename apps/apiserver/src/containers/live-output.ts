import { objectKey, type KubeObject } from '#libs/kernel';
import { commandOf, logOfRun, startProgram, type ProgramContainer } from '#libs/kubelet';
import type { ClusterView } from '../serving/cluster-view';
import { containerNamed, statusOf } from './of-pod';
import { LogPlayer } from './log-player';
import { ProgramPlayer } from './program-player';
import { outputOf, runOf, writesItself, type Run } from './run-output';
import { worldOf } from './world';

/**
 * Hands on what a run writes from now on, for as long as it goes on; then `ended` is called. Gives what ends it before.
 * @param shownMs up to where it has been shown, ms from the start of the run
 */
export async function followOutput(
  pod: KubeObject,
  run: Run,
  view: ClusterView,
  shownMs: number,
  { written, ended }: { written: (text: string, atMs: number) => void; ended: () => void },
): Promise<() => void> {
  const over = new AbortController();
  const key = objectKey(pod.metadata.namespace, pod.metadata.name);
  let lastMs = shownMs;
  const hand = (text: string, atMs: number): void => {
    if (over.signal.aborted || atMs <= shownMs) return;
    lastMs = atMs;
    written(text, atMs);
  };
  const told = logOfRun(pod, run.container, run.restartCount);
  const player = told
    ? new LogPlayer(told, run.startedAt, () => view.time, hand, over.signal)
    : writesItself(pod, run.container)
      ? await playerOf(pod, run, view, hand, over.signal)
      : undefined;
  const finish = async (last: KubeObject | undefined): Promise<void> => {
    // The program may be a moment behind the status that tells of its end.
    const now = last && runOf(last, run.container, false);
    const seen = lastMs;
    player?.hurry();
    const rest = last && now?.restartCount === run.restartCount ? await outputOf(last, now, view) : [];
    for (const [atMs, text] of rest) if (atMs > seen) hand(text, atMs);
    if (!over.signal.aborted) ended();
    over.abort();
  };
  const stop = view.feed('pods')?.listen((changes) => {
    const last = changes.findLast((change) => change.key === key);
    if (!last) return;
    const isGone = last.type === 'DELETED' || last.object.metadata.uid !== pod.metadata.uid;
    const status = isGone ? undefined : statusOf(last.object, run.container);
    if (isGone || !status?.state?.running || status.restartCount !== run.restartCount) void finish(isGone ? undefined : last.object);
  });
  over.signal.addEventListener('abort', () => stop?.());
  if (!stop) void finish(undefined);
  else void player?.play();
  return () => over.abort();
}

async function playerOf(
  pod: KubeObject,
  run: Run,
  view: ClusterView,
  hand: (text: string, atMs: number) => void,
  signal: AbortSignal,
): Promise<ProgramPlayer | undefined> {
  const spec = containerNamed(pod, run.container) as ProgramContainer;
  const options = { at: run.startedAt, isTerminal: spec.tty ?? false, hasInput: spec.stdin ?? false, unknown: 'serves' } as const;
  const started = startProgram(commandOf(spec) ?? [], pod, spec, await worldOf(pod, view), options);
  if ('error' in started) return undefined;
  return new ProgramPlayer(started, run.startedAt, () => view.time, { written: (text, _, atMs) => hand(text.toString(), atMs) }, signal);
}
