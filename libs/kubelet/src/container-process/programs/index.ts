import type { ProgramContext, RunProgram } from '../context';
import { NotSimulatedError, type Process } from '../process';
import { basics } from './basics';
import { inFiles } from './in-files';
import { onNetwork } from './network';
import { tar } from './tar';
import { texts } from './texts';

/** Folders in which programs are looked for by their whole path. */
const folders = /^(?:\/usr)?(?:\/local)?\/s?bin\//;

/** Programs that every container is taken to have, by name. The shell is beside them. */
export const programs: ReadonlyMap<string, RunProgram> = new Map<string, RunProgram>([
  ...Object.entries({ ...basics, ...texts, ...inFiles, ...onNetwork }),
  ['env', env],
  ['tar', tar],
  ['timeout', timeout],
]);

/** The program of a name or a path. */
export function programOf(name: string): RunProgram | undefined {
  return programs.get(name.replace(folders, ''));
}

/** `env [NAME=VALUE …] [COMMAND …]` */
function* env(args: readonly string[], context: ProgramContext): Process {
  const values = context.env.copy();
  const rest = [...args];
  while (/^\w+=/.test(rest[0] ?? '')) {
    const [name = '', ...value] = (rest.shift() as string).split('=');
    values.set(name, value.join('='));
  }
  if (rest.length > 0) return yield* another(rest, { ...context, env: values });
  for (const [name, value] of values.entries()) yield { out: `${name}=${value}\n` };
  return 0;
}

/** Exit code of a command that took longer (busybox: as of any that gets TERM). */
const timedOut = 143;

/** `timeout SECONDS COMMAND …` */
function* timeout([limit = '', ...args]: readonly string[], context: ProgramContext): Process {
  const { clock } = context.machine;
  const match = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(limit);
  if (!match) throw new NotSimulatedError('timeout');
  const end = clock.now + Number(match[1]) * ({ m: 60, h: 3_600 }[match[2] as string] ?? 1) * 1_000;
  const process = another(args, context);
  let given;
  for (;;) {
    const { done, value } = process.next(given);
    given = undefined;
    if (done) return value;
    if ('waitMs' in value && clock.now + value.waitMs > end) {
      yield { waitMs: Math.max(0, end - clock.now) };
      clock.now = end;
      return timedOut;
    }
    given = yield value;
  }
}

function another([name = '', ...args]: readonly string[], context: ProgramContext): Process {
  const run = context.machine.find(name);
  if (!run) throw new NotSimulatedError(`${name} is another program of the image`);
  return run(args, context);
}
