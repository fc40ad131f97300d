import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import type { ExecAnswer, Timeline } from '../../../behaviour';
import { followProgram, nowhere, runCommand, World, type Files, type ProgramContainer } from '../../../container-process';
import { podBasis } from '../command-answer';
import type { Container } from '../../pod-types';
import type { ProbeGround } from '../container-run';

/** How far ahead of a moment a program is followed, ms. */
const aheadMs = 86_400_000;
/** Changes of its files that are looked at. */
const changesMax = 2_000;

interface Known {
  basis: readonly unknown[];
  /** It rests on nothing but the pod. */
  isSettled: boolean;
  answers: Timeline<ExecAnswer> | undefined;
}

const memory = new WeakMap<object, Map<string, Known>>();

/** The answers at one look at a pod, in which nothing changes: those of each command are found once, however often they are asked for. */
export function programAnswersAt(cluster: ClusterState, pod: KubeObject, now: number): ProbeGround['programAnswers'] {
  const found = new Map<string, Timeline<ExecAnswer> | undefined>();
  return ({ container, startedAt = now }, command) => {
    const key = [container.name, startedAt, ...command].join('\0');
    if (!found.has(key)) found.set(key, programAnswers(cluster, pod, container, command, { startedAt, now }));
    return found.get(key);
  };
}

/**
 * What a command finds that is run again and again in a container whose own program is simulated: `cat /tmp/healthy` beside
 * `touch /tmp/healthy; sleep 30; rm /tmp/healthy; sleep 600`. Undefined: the program or the command does what is not simulated.
 * @param startedAt of the container's run, ms since the epoch
 */
export function programAnswers(
  cluster: ClusterState,
  pod: KubeObject,
  container: Container,
  command: readonly string[],
  { startedAt, now }: { startedAt: number; now: number },
): Timeline<ExecAnswer> | undefined {
  const basis = podBasis(pod, startedAt);
  const key = command.join('\0');
  let ofContainer = memory.get(container);
  if (!ofContainer) memory.set(container, (ofContainer = new Map<string, Known>()));
  const known = ofContainer.get(key);
  const isSame = known?.basis.every((part, index) => part === basis[index]) ?? false;
  if (known?.isSettled && isSame) return known.answers;
  const found = follow(cluster, pod, container, command, { startedAt, now });
  // The same answers are the same object: who goes by them need not begin anew.
  const answers = known && JSON.stringify(known.answers) === JSON.stringify(found.answers) ? known.answers : found.answers;
  ofContainer.set(key, { basis, ...found, answers });
  return answers;
}

function follow(
  cluster: ClusterState,
  pod: KubeObject,
  container: Container,
  command: readonly string[],
  { startedAt, now }: { startedAt: number; now: number },
): Omit<Known, 'basis'> {
  // A program that looks at nothing outside does the same whenever it is asked; of another only the present is known.
  const alone = new World(cluster, pod, startedAt + aheadMs);
  const answers = answersIn(alone, pod, container, command, startedAt, aheadMs);
  if (!alone.hasLooked) return { isSettled: true, answers };
  const world = new World(cluster, pod, now);
  return { isSettled: false, answers: answersIn(world, pod, container, command, startedAt, now - startedAt + aheadMs) };
}

type Step = { fromMs: number } & ExecAnswer;

function answersIn(
  world: World,
  pod: KubeObject,
  container: Container,
  command: readonly string[],
  startedAt: number,
  untilMs: number,
): Timeline<ExecAnswer> | undefined {
  const steps: Step[] = [];
  let isKnown = true;
  const look = (files: Files, fromMs: number): void => {
    if (!isKnown || steps.length >= changesMax) return;
    // What the command itself finds outside its container is of another moment each time: it counts as not known.
    const own = new World(nowhere, pod, startedAt + fromMs);
    const result = runCommand(command, pod, container as ProgramContainer, own, { files, at: startedAt + fromMs });
    if (!result || own.hasLooked) isKnown = false;
    else addStep(steps, { fromMs, ...result });
  };
  const run = followProgram(pod, container as ProgramContainer, world, startedAt, { untilMs, turnsShown: 1, look });
  return run && isKnown && steps.length > 0 ? { steps } : undefined;
}

function addStep(steps: Step[], step: Step): void {
  const last = steps[steps.length - 1];
  if (last?.fromMs === step.fromMs) steps.pop();
  const before = steps[steps.length - 1];
  const isOther =
    !before || before.exitCode !== step.exitCode || before.takesMs !== step.takesMs || before.out !== step.out || before.err !== step.err;
  if (isOther) steps.push(step);
}
