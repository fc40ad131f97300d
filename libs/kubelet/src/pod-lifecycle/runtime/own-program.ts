import type { ClusterState } from '#libs/cluster-state';
import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { commandOf, followProgram, World, type ProgramContainer, type ProgramRun } from '../../container-process';
import { doingOnly, tellsOfRuns } from '../../behaviour';
import type { ContainerRun } from './container-run';

/** Turns of a loop that waits whose output is put into the log. */
const turnsKept = 500;
/** Characters of what a run writes that are put into the log: the last ones. */
const settledOutputMax = 16 * 1024;

/** What a look at a pod finds out about the programs that its containers run. */
export interface ProgramsLook {
  /** What is settled from now on. */
  settled: Fact[];
  /** A program goes round until something in the cluster is otherwise. */
  waits: boolean;
  /** A program looks at the cluster next, ms since the epoch. */
  looksAt?: number;
}

/**
 * Gives each running container of a pod the end that its own program comes to, where no annotation speaks of its runs. What a program
 * that looks at other objects comes to is settled once: as soon as it can be told.
 */
export function findEnds(cluster: ClusterState, pod: KubeObject, runs: Iterable<ContainerRun>, now: number): ProgramsLook {
  const look: ProgramsLook = { settled: [], waits: false };
  for (const run of runs) {
    if (run.state !== 'running' || run.startedAt === undefined) continue;
    if (!commandOf(run.container as ProgramContainer) || tellsOfRuns(pod, run.container, run.role)) continue;
    const known = cluster.decisions.settledProgram(pod.metadata.uid, run.container.name, run.restartCount);
    if (known) {
      end(run, known);
      continue;
    }
    const world = new World(cluster, pod, now);
    world.endsNow = true;
    const found = remembered(pod, run, run.startedAt) ?? follow(pod, run, world, run.startedAt);
    if (!found) continue;
    look.waits ||= found.waits;
    if (found.looksAt !== undefined) look.looksAt = Math.min(found.looksAt, look.looksAt ?? found.looksAt);
    end(run, found.end);
    if (!found.end || !world.hasLooked) continue;
    const whole = follow(pod, run, world, run.startedAt, turnsKept);
    if (whole) look.settled.push(settledFact(pod, run, whole, world));
  }
  return look;
}

/** An end that is not known is no end: the container goes on. */
function end(run: ContainerRun, found: ProgramRun['end']): void {
  const { afterMs: runForMs, exitCode = 0, message } = found ?? {};
  run.behaviour = doingOnly(run.behaviour, { runForMs, exitCode, message });
}

/** What rests on the pod alone, by its container: looks at a pod come in a row. */
const memory = new WeakMap<object, { basis: readonly unknown[]; found: ProgramRun }>();

function basisOf({ metadata, status }: KubeObject, startedAt: number): readonly unknown[] {
  return [metadata.uid, metadata.labels, metadata.annotations, status?.podIP, status?.hostIP, startedAt];
}

function remembered(pod: KubeObject, { container }: ContainerRun, startedAt: number): ProgramRun | undefined {
  const known = memory.get(container);
  return known && basisOf(pod, startedAt).every((part, index) => part === known.basis[index]) ? known.found : undefined;
}

/** @param turnsShown of a loop that waits: none of them matters for the end */
function follow(pod: KubeObject, { container }: ContainerRun, world: World, startedAt: number, turnsShown = 1): ProgramRun | undefined {
  const found = followProgram(pod, container as ProgramContainer, world, startedAt, { turnsShown });
  if (found && !world.hasLooked) memory.set(container, { basis: basisOf(pod, startedAt), found: { ...found, output: [] } });
  return found;
}

function settledFact(
  { metadata }: KubeObject,
  { container, restartCount }: ContainerRun,
  { end: found, output }: ProgramRun,
  world: World,
): Fact {
  const { afterMs = 0, exitCode = 0, message } = found ?? {};
  return fact('ProgramSettled', {
    namespace: metadata.namespace ?? '',
    pod: metadata.name,
    uid: metadata.uid,
    container: container.name,
    restartCount,
    afterMs,
    exitCode,
    ...(message === undefined ? {} : { message }),
    output: keptOutput(output),
    ...(world.hasReadSecret ? { readsSecrets: true } : {}),
  });
}

/** As much of an output as is kept in the log. */
export function keptOutput(output: readonly (readonly [atMs: number, text: string])[]): [number, string][] {
  const kept: [number, string][] = [];
  let left = settledOutputMax;
  for (let i = output.length - 1; i >= 0; i--) {
    const [atMs, text] = output[i] as readonly [number, string];
    if (left <= 0) {
      kept.push([Math.round(atMs), '(kubereel keeps no more of what was written before)\n']);
      break;
    }
    kept.push([Math.round(atMs), text.slice(-left)]);
    left -= text.length;
  }
  return kept.reverse();
}
