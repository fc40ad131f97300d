import type { Files } from './files';
import type { ProcessClock, Process, Steps } from './process';
import type { Stdin } from './stdin';
import type { EnvironmentVariables } from './variables';
import type { World } from './world';

/** What the programs of one container have in common. */
export interface Machine {
  readonly hostname: string;
  /** `127.0.0.1` before the pod has one. */
  readonly address: string;
  readonly files: Files;
  readonly world: World;
  readonly clock: ProcessClock;
  readonly steps: Steps;
  /** A terminal is at the input: shells prompt there. */
  readonly isTerminal: boolean;
  /** Nobody waits for its end: a loop that has none need not be gone through. */
  readonly seeksEnd: boolean;
  /** Turns of a loop that are gone through before the moment that is looked at, where all of them are alike; those before are passed over. */
  readonly turnsShown: number;
  /** What a name means that no program here has: another program of the image, which goes on as a server does, or none. */
  readonly unknown: 'serves' | 'not found';
  /** The program of a name or a path. */
  readonly find: (name: string) => RunProgram | undefined;
}

/** What one program is given. */
export interface ProgramContext {
  readonly machine: Machine;
  readonly env: EnvironmentVariables;
  readonly folder: string;
  readonly stdin: Stdin;
}

/** A program by its name. @throws NotSimulatedError where it would need what is not simulated */
export type RunProgram = (args: readonly string[], context: ProgramContext) => Process;

/** A loop that has no end was met, by who only looks for the end. */
export class EndlessError extends Error {
  override name = 'EndlessError';
}
