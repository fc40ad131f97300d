import type { KubeObject } from '#libs/kernel';
import type { ExecAnswer } from '../../behaviour';
import { filesOfContainer, followProgram, nowhere, runCommand, World, type Files, type ProgramContainer } from '../../container-process';
import type { Container } from '../pod-types';

const memory = new WeakMap<object, Map<string, { basis: readonly unknown[]; answer: ExecAnswer | undefined }>>();

/**
 * What a command comes to that runs once in a container: from the pod alone, so that it is found to be the same whenever it is asked for.
 * Undefined: that cannot be told.
 * @param startedAt of the container's run, ms since the epoch
 * @param at when the command begins
 */
export function commandAnswer(
  pod: KubeObject,
  container: Container,
  command: readonly string[],
  { startedAt, at }: { startedAt: number; at: number },
): ExecAnswer | undefined {
  const basis = [...podBasis(pod, startedAt), at];
  const key = command.join('\0');
  let ofContainer = memory.get(container);
  if (!ofContainer) memory.set(container, (ofContainer = new Map()));
  const known = ofContainer.get(key);
  if (known?.basis.every((part, index) => part === basis[index])) return known.answer;
  const answer = found(pod, container as ProgramContainer, command, startedAt, at);
  ofContainer.set(key, { basis, answer });
  return answer;
}

/** What a container's program goes by that looks at nothing but its pod. */
export function podBasis({ metadata, status }: KubeObject, startedAt: number): readonly unknown[] {
  return [metadata.uid, metadata.labels, metadata.annotations, status?.podIP, status?.hostIP, startedAt];
}

/** The files of an image are not known: what may have failed for want of one counts as well done. */
function found(
  pod: KubeObject,
  container: ProgramContainer,
  command: readonly string[],
  startedAt: number,
  at: number,
): ExecAnswer | undefined {
  const world = new World(nowhere, pod, at);
  const written = filesWritten(pod, container, startedAt, at);
  const files = written ?? filesOfContainer(pod, container, world);
  files.hasMissed = false;
  const result = runCommand(command, pod, container, world, { files, at });
  if (!result || world.hasLooked) return undefined;
  return files.hasMissed && !written ? { ...result, exitCode: 0 } : result;
}

/** The files as the container's own program has left them up to a moment; undefined: it is none that is simulated, or it looks outside of its pod. */
function filesWritten(pod: KubeObject, container: ProgramContainer, startedAt: number, at: number): Files | undefined {
  const world = new World(nowhere, pod, at);
  let last: Files | undefined;
  followProgram(pod, container, world, startedAt, { untilMs: at - startedAt, turnsShown: 1, look: (files) => (last = files) });
  return world.hasLooked ? undefined : last;
}
