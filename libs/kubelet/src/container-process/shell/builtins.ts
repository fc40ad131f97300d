import { fullPath } from '../files';
import { ended, NotSimulatedError, type Process } from '../process';
import type { Stdin } from '../stdin';
import { parseScript } from './parser';
import type { Shell } from './shell';
import { ExitSignal, LoopSignal, ReturnSignal } from './signals';

type Builtin = (shell: Shell, args: readonly string[], stdin: Stdin) => Process;

/** What only changes the shell, and says nothing. */
const quiet =
  (run: (shell: Shell, args: readonly string[]) => number): Builtin =>
  (shell, args) =>
    ended(() => run(shell, args));

const nothing = quiet(() => 0);

const exit = quiet(({ scope }, [code]) => {
  throw new ExitSignal(code === undefined ? scope.exitCode : Number(code) & 255);
});

const leave = quiet(({ scope }, [code]) => {
  throw new ReturnSignal(code === undefined ? scope.exitCode : Number(code) & 255);
});

const leaveLoop = (kind: 'break' | 'continue'): Builtin =>
  quiet((_, [loops = '1']) => {
    throw new LoopSignal(kind, Number(loops) || 1);
  });

function* changeFolder({ scope, machine }: Shell, [path = '/root']: readonly string[]): Process {
  const folder = fullPath(scope.folder, path);
  if (!machine.files.isFolder(folder)) {
    yield { err: `sh: cd: can't cd to ${path}: No such file or directory\n` };
    return 2;
  }
  scope.folder = folder;
  scope.set('PWD', folder);
  return 0;
}

const assign = (exports: boolean): Builtin =>
  quiet(({ scope }, args) => {
    for (const text of args) {
      const [, name, , value] = /^([A-Za-z_]\w*)(=([^]*))?$/.exec(text) ?? [];
      if (name === undefined) throw new NotSimulatedError(`${text} is no variable`);
      if (value !== undefined) scope.set(name, value);
      if (exports) scope.export(name);
    }
    return 0;
  });

const unset = quiet(({ scope }, args) => {
  for (const name of args) scope.unset(name);
  return 0;
});

/** `-e` counts; `-u`, `-x` and the like change nothing of what a script comes to. */
const setOptions = quiet(({ scope }, args) => {
  for (const [index, option] of args.entries()) {
    if (option === '--') {
      scope.positional = args.slice(index + 1);
      return 0;
    }
    if (/^-\w*e/.test(option)) scope.endsOnFailure = true;
    else if (/^\+\w*e/.test(option)) scope.endsOnFailure = false;
    else if (!/^[-+]/.test(option) && args[index - 1] !== '-o' && !/^[-+]\w*o$/.test(args[index - 1] ?? ''))
      throw new NotSimulatedError('set');
  }
  return 0;
});

const shift = quiet(({ scope }, [count = '1']) => {
  if (scope.positional.length < Number(count)) return 1;
  scope.positional = scope.positional.slice(Number(count));
  return 0;
});

/** `read [-r] [-p PROMPT] NAME…` */
function* read({ scope }: Shell, args: readonly string[], stdin: Stdin): Process {
  const names = [...args];
  while (names[0]?.startsWith('-')) {
    const option = names.shift();
    if (option === '-p') yield { err: names.shift() ?? '' };
    else if (option !== '-r') throw new NotSimulatedError(`read ${option}`);
  }
  const line = yield* stdin.line();
  const fields = (line ?? '').replace(/\n$/, '').trim().split(/\s+/);
  const variables = names.length > 0 ? names : ['REPLY'];
  variables.forEach((name, index) => {
    const isLast = index === variables.length - 1;
    scope.set(name, (isLast ? fields.slice(index).join(' ') : fields[index]) ?? '');
  });
  return line?.endsWith('\n') ? 0 : 1;
}

function* evaluate(shell: Shell, args: readonly string[], stdin: Stdin): Process {
  return yield* shell.list(parseScript(args.join(' ')), stdin, false);
}

function* source(shell: Shell, [path = '']: readonly string[], stdin: Stdin): Process {
  const text = shell.machine.files.read(fullPath(shell.scope.folder, path));
  if (text === undefined) throw new NotSimulatedError(`${path} is not there`);
  return yield* shell.list(parseScript(text.toString()), stdin, false);
}

/** The program takes the place of the shell. */
function* replace(shell: Shell, [name, ...args]: readonly string[], stdin: Stdin): Process {
  if (name === undefined) return 0;
  throw new ExitSignal(yield* shell.start(name, args, shell.scope, stdin, true));
}

/** `command NAME …`; `command -v NAME` and `which` tell where it is. */
function* command(shell: Shell, [first, ...args]: readonly string[], stdin: Stdin): Process {
  if (first === undefined) return 0;
  if (first !== '-v') return yield* shell.start(first, args, shell.scope, stdin, true);
  return yield* shell.start('which', args, shell.scope, stdin, true);
}

/** What is part of the shell itself. */
export const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  [':', nothing],
  ['.', source],
  ['break', leaveLoop('break')],
  ['cd', changeFolder],
  ['command', command],
  ['continue', leaveLoop('continue')],
  ['eval', evaluate],
  ['exec', replace],
  ['exit', exit],
  ['export', assign(true)],
  ['local', assign(false)],
  ['read', read],
  ['readonly', assign(false)],
  ['return', leave],
  ['set', setOptions],
  ['shift', shift],
  ['source', source],
  ['trap', nothing],
  ['ulimit', nothing],
  ['umask', nothing],
  ['unset', unset],
  ['wait', nothing],
]);
