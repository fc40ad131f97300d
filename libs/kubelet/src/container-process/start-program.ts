import { programs } from './programs';
import type { Program, Surroundings } from './process';
import { runShell, shells } from './shell';

/**
 * Starts a command in a simulated container. What a container does is as much as a reader of its pod can expect without its image: a few
 * programs that every image has.
 */
export function startProgram(command: readonly string[], surroundings: Surroundings): Program {
  const [name = '', ...args] = command;
  const run = shells.has(name) ? runShell : programs.get(name.replace(/^(\/usr)?\/bin\//, ''));
  const program = run?.(args, surroundings);
  if (program) return program;
  const reason = run ? 'kubereel simulates containers, and this is more than it knows of' : 'executable file not found in $PATH';
  return { error: `unable to start container process: exec: ${JSON.stringify(name)}: ${reason}` };
}
