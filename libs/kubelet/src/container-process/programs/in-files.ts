import type { ProgramContext, RunProgram } from '../context';
import { fullPath, parentOf } from '../files';
import { ended, NotSimulatedError, type Process } from '../process';
import { readArguments } from './helpers';

const absent = 'No such file or directory';

const ls: RunProgram = function* (args, { folder, machine }) {
  const { options, rest } = readArguments(args, ['l', 'a', 'A', '1', 'h', 'd']);
  const { files } = machine;
  let code = 0;
  for (const path of rest.length > 0 ? rest : ['.']) {
    const full = fullPath(folder, path);
    if (!files.exists(full)) {
      yield { err: `ls: ${path}: ${absent}\n` };
      code = 1;
      continue;
    }
    const isFolder = files.isFolder(full) && !options.has('d');
    const names = isFolder ? files.list(full).filter((name) => options.has('a') || options.has('A') || !name.startsWith('.')) : [path];
    if (isFolder && rest.length > 1) yield { out: `${path}:\n` };
    for (const name of names) yield { out: `${options.has('l') ? long(machine, isFolder ? fullPath(full, name) : full) : ''}${name}\n` };
  }
  return code;
};

function long({ files, clock }: ProgramContext['machine'], path: string): string {
  const isFolder = files.isFolder(path);
  const size = isFolder ? 4096 : (files.read(path)?.length ?? 0);
  const [date, time] = new Date(clock.now).toISOString().split('T') as [string, string];
  return `${isFolder ? 'drwxr-xr-x' : '-rw-r--r--'}    1 root     root     ${String(size).padStart(9)} ${date} ${time.slice(0, 5)} `;
}

const touch: RunProgram = function* (args, { folder, machine }) {
  for (const path of readArguments(args, ['c']).rest) {
    const full = fullPath(folder, path);
    const problem = machine.files.exists(full) ? undefined : machine.files.write(full, '');
    if (problem !== undefined) {
      yield { err: `touch: ${path}: ${problem}\n` };
      return 1;
    }
  }
  return 0;
};

const mkdir: RunProgram = function* (args, { folder, machine: { files } }) {
  const { options, rest } = readArguments(args, ['p'], ['m']);
  for (const path of rest) {
    const full = fullPath(folder, path);
    const problem = options.has('p') ? undefined : files.exists(full) ? 'File exists' : files.isFolder(parentOf(full)) ? undefined : absent;
    if (problem !== undefined) {
      yield { err: `mkdir: can't create directory '${path}': ${problem}\n` };
      return 1;
    }
    files.makeFolder(full);
  }
  return 0;
};

const rm: RunProgram = function* (args, { folder, machine: { files } }) {
  const { options, rest } = readArguments(args, ['r', 'R', 'f']);
  let code = 0;
  for (const path of rest) {
    const full = fullPath(folder, path);
    const recursive = options.has('r') || options.has('R');
    if (files.exists(full) && (recursive || !files.isFolder(full))) files.remove(full);
    else if (!options.has('f') || files.exists(full)) {
      yield { err: `rm: ${files.exists(full) ? `'${path}' is a directory` : `can't remove '${path}': ${absent}`}\n` };
      code = 1;
    }
  }
  return code;
};

const moves = (name: string, isMove: boolean): RunProgram =>
  function* (args, { folder, machine: { files } }) {
    const { rest } = readArguments(args, ['f', 'p', 'a', 'r']);
    const [from, to] = rest;
    if (from === undefined || to === undefined || rest.length > 2) throw new NotSimulatedError(name);
    const source = fullPath(folder, from);
    const content = files.read(source);
    if (content === undefined) {
      if (files.isFolder(source)) throw new NotSimulatedError(`${name} of a directory`);
      yield { err: `${name}: can't stat '${from}': ${absent}\n` };
      return 1;
    }
    const target = fullPath(folder, to);
    const problem = files.write(files.isFolder(target) ? fullPath(target, source.slice(source.lastIndexOf('/') + 1)) : target, content);
    if (problem !== undefined) {
      yield { err: `${name}: can't create '${to}': ${problem}\n` };
      return 1;
    }
    if (isMove) files.remove(source);
    return 0;
  };

/** `test`, `[`. */
const test =
  (needsEnd: boolean): RunProgram =>
  (args, context) => {
    if (needsEnd && args[args.length - 1] !== ']') throw new NotSimulatedError('[ without ]');
    return isTrue(needsEnd ? args.slice(0, -1) : args, context) ? ends(0) : ends(1);
  };

const ends = (code: number): Process => ended(() => code);

function isTrue(args: readonly string[], context: ProgramContext): boolean {
  const or = args.lastIndexOf('-o');
  if (or > 0) return isTrue(args.slice(0, or), context) || isTrue(args.slice(or + 1), context);
  const and = args.lastIndexOf('-a');
  if (and > 0) return isTrue(args.slice(0, and), context) && isTrue(args.slice(and + 1), context);
  if (args[0] === '!') return !isTrue(args.slice(1), context);
  if (args.length <= 1) return (args[0] ?? '') !== '';
  const [left = '', operation = '', right = ''] = args;
  if (args.length === 2) return ofFile(left, operation, context);
  if (args.length > 3) throw new NotSimulatedError('test');
  return compare(left, operation, right);
}

function compare(left: string, operation: string, right: string): boolean {
  const [a, b] = [Number(left), Number(right)];
  switch (operation) {
    case '=':
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '-eq':
      return a === b;
    case '-ne':
      return a !== b;
    case '-lt':
      return a < b;
    case '-le':
      return a <= b;
    case '-gt':
      return a > b;
    case '-ge':
      return a >= b;
    default:
      throw new NotSimulatedError(`test ${operation}`);
  }
}

function ofFile(operation: string, operand: string, { folder, machine: { files } }: ProgramContext): boolean {
  if (operation === '-z') return operand === '';
  if (operation === '-n') return operand !== '';
  const path = fullPath(folder, operand);
  if (operation === '-d') return files.isFolder(path);
  if (operation === '-f') return files.read(path) !== undefined;
  if (operation === '-s') return (files.read(path)?.length ?? 0) > 0;
  if (['-e', '-r', '-w'].includes(operation)) return files.exists(path);
  if (operation === '-x') return files.isFolder(path);
  throw new NotSimulatedError(`test ${operation}`);
}

const base = (path: string): string => path.replace(/\/+$/, '').replace(/^.*\//, '');

export const inFiles: Readonly<Record<string, RunProgram>> = {
  '[': test(true),
  basename: function* ([path = '', end = '']) {
    const name = base(path);
    yield { out: `${end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name}\n` };
    return 0;
  },
  chmod: () => ends(0),
  cp: moves('cp', false),
  dirname: function* ([path = '']) {
    yield { out: `${path.includes('/') ? parentOf(path) : '.'}\n` };
    return 0;
  },
  ls,
  mkdir,
  mv: moves('mv', true),
  rm,
  test: test(false),
  touch,
};
