import type { ProgramContext, RunProgram } from '../context';
import { InterruptError, NotSimulatedError, type Process } from '../process';
import { Stdin } from '../stdin';
import { parseScript } from './parser';
import { Scope } from './scope';
import { Shell } from './shell';
import { ExitSignal } from './signals';

const shells = /^(?:(?:\/usr)?\/bin\/)?(?:sh|bash|ash|dash)$/;

function isShell(name: string): boolean {
  return shells.test(name);
}

/** The shell of a name or a path. */
export function shellNamed(asked: string): RunProgram | undefined {
  if (!isShell(asked)) return undefined;
  const hasBraces = asked.endsWith('bash');
  return (args, context) => runShell(args, context, hasBraces);
}

/** `sh`, `sh -c SCRIPT [NAME ARG …]` (also `-ec`, `-lc`), `sh FILE`. */
function* runShell(args: readonly string[], context: ProgramContext, hasBraces: boolean): Process {
  const shell = shellOf(context);
  shell.scope.hasBraces = hasBraces;
  const rest = [...args];
  let isScript = false;
  while (/^-\w/.test(rest[0] ?? '')) {
    const option = rest.shift() as string;
    if (!/^-[cilexu]+$/.test(option)) throw new NotSimulatedError(`sh ${option}`);
    if (option.includes('e')) shell.scope.endsOnFailure = true;
    isScript ||= option.includes('c');
  }
  const [first, ...others] = rest;
  if (isScript) {
    const [name = 'sh', ...positional] = others;
    Object.assign(shell.scope, { name, positional });
    return yield* shell.run(parseScript(first ?? ''), context.stdin);
  }
  if (first === undefined) return yield* typedTo(shell, context);
  const text = context.machine.files.read(first);
  if (text === undefined) throw new NotSimulatedError(`the script ${first}`);
  Object.assign(shell.scope, { name: first, positional: others });
  return yield* shell.run(parseScript(text.toString()), context.stdin);
}

function shellOf({ machine, env, folder }: ProgramContext): Shell {
  const scope = new Scope(env);
  scope.folder = folder;
  return new Shell(machine, scope, (name, args, from, stdin) =>
    machine.find(name)?.(args, { machine, env: from.environment(), folder: from.folder, stdin }),
  );
}

/** A shell that reads its commands: each line is a script; `exit` or the end of the input ends it. */
function* typedTo(shell: Shell, { stdin, machine }: ProgramContext): Process {
  const { scope } = shell;
  for (;;) {
    try {
      if (machine.isTerminal) yield { out: `${scope.folder} # ` };
      const line = yield* stdin.line();
      if (line === undefined) return scope.exitCode;
      machine.steps.renew();
      scope.exitCode = yield* command(shell, line, stdin);
    } catch (error) {
      if (error instanceof ExitSignal) return error.code;
      if (!(error instanceof InterruptError)) throw error;
      scope.exitCode = 130;
    }
  }
}

function* command(shell: Shell, line: string, stdin: Stdin): Process {
  try {
    return yield* shell.list(parseScript(line), stdin, true);
  } catch (error) {
    if (!(error instanceof NotSimulatedError)) throw error;
    yield { err: `sh: kubereel simulates containers: ${error.message}\n` };
    return 2;
  }
}
