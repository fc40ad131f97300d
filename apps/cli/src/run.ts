import { CliError } from './cli-error';
import { runProgram } from './program';
import { endWithReader } from './terminal/closed-pipe';
import { asCalled } from './terminal/as-called';
import { painter } from './terminal/colour';

/** Says what went wrong in a line, and what to do in another; a stack only for those who ask for it. */
function fail(error: unknown): never {
  const paint = painter(process.stderr);
  const known = error instanceof CliError;
  const text = error instanceof Error ? (process.env.KUBEREEL_DEBUG && !known ? error.stack : error.message) : String(error);
  process.stderr.write(`${paint(['bold', 'red'], 'kubereel:')} ${text}\n`);
  if (known && error.remedy) process.stderr.write(`  ${asCalled(error.remedy)}\n`);
  process.exit(known ? error.exitCode : 1);
}

/** The command line, as it stands in `process.argv`. */
export function run(): void {
  endWithReader();
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  runProgram(process.argv).catch(fail);
}
