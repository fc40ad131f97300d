import type { KubeObject } from '#libs/kernel';
import { EndlessError } from './context';
import type { Files } from './files';
import { NotSimulatedError, TooManyStepsError } from './process';
import { startProgram, type ProgramContainer } from './start-program';
import type { World } from './world';

/** What a command came to that was run beside a container's own program. */
export interface CommandResult {
  exitCode: number;
  takesMs: number;
  out: string;
  err: string;
}

/** A command that takes longer counts as one that has no end, ms. */
const lastingMaxMs = 3_600_000;

/**
 * Runs a command in a container, as it finds the files, to its end. Undefined: what it does is not simulated, or it has no end.
 * @param at ms since the epoch
 */
export function runCommand(
  command: readonly string[],
  pod: KubeObject,
  container: ProgramContainer,
  world: World,
  { files, at }: { files: Files; at: number },
): CommandResult | undefined {
  const started = startProgram(command, pod, container, world, { at, isTerminal: false, hasInput: false, unknown: 'serves', files });
  if ('error' in started) return undefined;
  const result: CommandResult = { exitCode: 0, takesMs: 0, out: '', err: '' };
  try {
    while (result.takesMs <= lastingMaxMs) {
      const { done, value } = started.process.next(undefined);
      if (done) return { ...result, exitCode: value };
      if ('wants' in value) return undefined;
      if ('waitMs' in value) result.takesMs += value.waitMs;
      else if ('out' in value) result.out += value.out.toString();
      else result.err += value.err;
    }
    return undefined;
  } catch (error) {
    if (error instanceof NotSimulatedError || error instanceof EndlessError || error instanceof TooManyStepsError) return undefined;
    throw error;
  }
}
