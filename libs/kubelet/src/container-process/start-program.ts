import type { KubeObject } from '#libs/kernel';
import type { Machine, ProgramContext } from './context';
import { environmentOf, hostnameOf, withReferences, type EnvSource } from './environment';
import type { Files } from './files';
import { NotSimulatedError, Steps, type Process } from './process';
import { programOf } from './programs';
import { shellNamed } from './shell';
import { Stdin } from './stdin';
import { filesOf, type Mounted } from './volumes';
import type { World } from './world';

/** A container as its pod describes it. */
export type ProgramContainer = EnvSource &
  Mounted & {
    image?: string;
    command?: readonly string[];
    args?: readonly string[];
    workingDir?: string;
    stdin?: boolean;
    stdinOnce?: boolean;
    tty?: boolean;
  };

export interface StartOptions {
  /** Cluster time of its start, ms since the epoch. */
  at: number;
  /** Of its container, where that is another moment. */
  containerStartedAt?: number;
  isTerminal: boolean;
  /** Whoever runs it gives it input. */
  hasInput: boolean;
  unknown: Machine['unknown'];
  seeksEnd?: boolean;
  /** Turns of a loop that are all alike, before the moment of the world; as many as a reader of the log may want when absent. */
  turnsShown?: number;
  /** Those of the container as they are; absent: as they are when it starts. */
  files?: Files;
}

export interface Started {
  process: Process;
  machine: Machine;
}

const turnsShownDefault = 2_000;

/** A program that cannot be started, in the container runtime's words. */
export interface NotStarted {
  error: string;
}

/**
 * Starts a command in a simulated container. What a container does is as much as a reader of its pod can expect without its image: a
 * shell, and programs that every image has.
 */
export function startProgram(
  command: readonly string[],
  pod: KubeObject,
  container: ProgramContainer,
  world: World,
  options: StartOptions,
): Started | NotStarted {
  const { isTerminal, containerStartedAt: startedAt = options.at } = options;
  const env = environmentOf(pod, container, world, { isTerminal, startedAt });
  const [name = '', ...args] = options.unknown === 'serves' ? command.map((each) => withReferences(each, env)) : command;
  const machine: Machine = {
    hostname: hostnameOf(pod),
    address: (pod.status?.podIP as string | undefined) ?? '127.0.0.1',
    files: options.files ?? filesOf(pod, container, world),
    world,
    clock: { now: options.at },
    steps: new Steps(),
    isTerminal: options.isTerminal,
    seeksEnd: options.seeksEnd ?? false,
    turnsShown: options.turnsShown ?? turnsShownDefault,
    unknown: options.unknown,
    find: (asked) => shellNamed(asked) ?? programOf(asked),
  };
  const folder = container.workingDir || '/';
  machine.files.makeFolder(folder);
  const context: ProgramContext = { machine, env, folder, stdin: options.hasInput ? Stdin.given() : Stdin.none() };
  const run = machine.find(name);
  if (!run) return { error: `unable to start container process: exec: ${JSON.stringify(name)}: executable file not found in $PATH` };
  try {
    return { process: run(args, context), machine };
  } catch (error) {
    if (error instanceof NotSimulatedError) return { error: notSimulated(name, error) };
    throw error;
  }
}

function notSimulated(name: string, { message }: Error): string {
  return `unable to start container process: exec: ${JSON.stringify(name)}: kubereel simulates containers, and this is more than it knows of: ${message}`;
}
