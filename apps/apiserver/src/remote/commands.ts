import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { commandOf, keptOutput, startProgram, type OutputPiece, type ProgramContainer } from '#libs/kubelet';
import { filesOf } from '../containers/container-files';
import { followOutput } from '../containers/live-output';
import { containerNamed, statusOf } from '../containers/of-pod';
import { outputOf, runOf, writesItself, type Run } from '../containers/run-output';
import { worldOf } from '../containers/world';
import { success } from '../http/remote/bare-status';
import type { CommandOptions, CommandStreams } from '../http/remote/service';
import type { ClusterView } from '../serving/cluster-view';
import { CommandSession } from './command-session';

/** Runs a command in a simulated container. */
export async function execIn(
  pod: KubeObject,
  container: string,
  command: readonly string[],
  options: CommandOptions,
  streams: CommandStreams,
  view: ClusterView,
): Promise<void> {
  const spec = containerNamed(pod, container) as ProgramContainer;
  const world = await worldOf(pod, view);
  const startedAt = view.time;
  const run = runOf(pod, container, false) ?? { startedAt };
  const program = startProgram(command, pod, spec, world, {
    at: startedAt,
    isTerminal: options.tty,
    hasInput: options.stdin,
    unknown: 'not found',
    containerStartedAt: run.startedAt,
    files: filesOf(pod, spec, statusOf(pod, container)?.containerID ?? '', run.startedAt, view, world),
  });
  await new CommandSession(program, streams, { ...options, startedAt, now: () => view.time, tellsExit: true, command }).begin();
}

/**
 * Attaches to what runs in a container: what it writes from then on is shown. If it reads its input it is typed to, and what it has written
 * before is shown, too: it may have asked for something. Several clients that type to one program each have one of their own.
 */
export async function attachTo(
  pod: KubeObject,
  container: string,
  options: CommandOptions,
  streams: CommandStreams,
  view: ClusterView,
): Promise<void> {
  const spec = containerNamed(pod, container) as ProgramContainer;
  const run = runOf(pod, container, false);
  // Whether it is behind a terminal was settled when it was started.
  const tty = spec.tty ?? false;
  if (!run) streams.end(success);
  else if (options.stdin && spec.stdin && writesItself(pod, container)) await typeTo(pod, spec, run, { ...options, tty }, streams, view);
  else await show(pod, run, { tty, readsInput: spec.stdin ?? false }, streams, view);
}

async function show(
  pod: KubeObject,
  run: Run,
  { tty, readsInput }: { tty: boolean; readsInput: boolean },
  streams: CommandStreams,
  view: ClusterView,
): Promise<void> {
  const shownMs = view.time - run.startedAt;
  const isTold = !writesItself(pod, run.container);
  const write = (text: string): void => {
    if (text !== '') streams.write('stdout', Buffer.from(isTold && tty ? text.replace(/\r?\n/g, '\r\n') : text));
  };
  if (readsInput) write((await outputOf(pod, run, view)).map(([, text]) => text).join(''));
  const ended = (): void => streams.end(success);
  const stop = await followOutput(pod, run, view, shownMs, { written: write, ended });
  streams.onClosed(stop);
}

async function typeTo(
  pod: KubeObject,
  spec: ProgramContainer,
  run: Run,
  options: CommandOptions,
  streams: CommandStreams,
  view: ClusterView,
): Promise<void> {
  const command = commandOf(spec) ?? [];
  const { startedAt, container, restartCount } = run;
  const world = await worldOf(pod, view);
  const program = startProgram(command, pod, spec, world, { at: startedAt, isTerminal: options.tty, hasInput: true, unknown: 'serves' });
  const output: OutputPiece[] = [];
  const { namespace = '', name, uid } = pod.metadata;
  const session = new CommandSession(program, streams, {
    ...options,
    startedAt,
    now: () => view.time,
    tellsExit: false,
    command,
    written: (text, atMs) => void output.push([atMs, text]),
    outlivesClient: spec.stdinOnce ?? false,
    ended: async (exitCode, ranMs) => {
      const about = { namespace, pod: name, uid, container, restartCount };
      const readsSecrets = world.hasReadSecret ? { readsSecrets: true } : {};
      await view.settle?.(
        fact('ProgramSettled', { ...about, afterMs: Math.round(ranMs), exitCode, output: keptOutput(output), ...readsSecrets }),
      );
    },
  });
  await session.begin();
}
