import type { ProgramContext } from '../context';
import { fullPath } from '../files';
import { NotSimulatedError, type Part, type Process } from '../process';

/** Options and what they are about. */
export interface Arguments {
  /** By letter or name: its value, or '' of one that has none. */
  options: ReadonlyMap<string, string>;
  rest: readonly string[];
}

/**
 * Reads `-ab`, `-n 3`, `-n3`, `--name`, `--name=value`.
 * @param flags letters and names without a value
 * @param valued letters and names with one
 * @throws NotSimulatedError at any other option
 */
export function readArguments(args: readonly string[], flags: readonly string[], valued: readonly string[] = []): Arguments {
  const options = new Map<string, string>();
  const rest: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === '--') {
      rest.push(...args.slice(i + 1));
      break;
    }
    if (arg.startsWith('--')) {
      const [name, value] = splitOnce(arg.slice(2));
      if (valued.includes(name)) options.set(name, value ?? args[++i] ?? '');
      else if (flags.includes(name)) options.set(name, '');
      else throw new NotSimulatedError(`option ${arg}`);
    } else if (arg.startsWith('-') && arg !== '-') {
      for (let at = 1; at < arg.length; at++) {
        const letter = arg[at] as string;
        if (flags.includes(letter)) options.set(letter, '');
        else if (valued.includes(letter)) {
          options.set(letter, arg.slice(at + 1) || (args[++i] ?? ''));
          break;
        } else throw new NotSimulatedError(`option ${arg}`);
      }
    } else rest.push(arg);
  }
  return { options, rest };
}

function splitOnce(text: string): [string, string | undefined] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

/** Lets time pass. */
export function* pause({ machine }: ProgramContext, ms: number): Part<void> {
  yield { waitMs: ms };
  machine.clock.now += ms;
}

/** Content of a file, or of the input for `-`; undefined: said that it is not there. */
export function* contentOf(program: string, path: string, context: ProgramContext): Part<Buffer | undefined> {
  if (path === '-' || path === '/dev/stdin') return yield* context.stdin.all();
  const { files } = context.machine;
  const full = fullPath(context.folder, path);
  const content = files.read(full);
  if (content !== undefined) {
    context.machine.steps.take(content.length >> 12);
    return content;
  }
  const isFolder = files.isFolder(full);
  yield { err: isFolder ? `${program}: read error: Is a directory\n` : `${program}: can't open '${path}': No such file or directory\n` };
  return undefined;
}

/** A program that works line by line on files, or on its input: lines have no line ends. @returns 1 where a file is not there */
export function* eachLine(
  program: string,
  paths: readonly string[],
  context: ProgramContext,
  take: (line: string, path: string) => string | undefined | 'stop',
): Process {
  let code = 0;
  for (const path of paths.length > 0 ? paths : ['-']) {
    if (path === '-') {
      for (let line = yield* context.stdin.line(); line !== undefined; line = yield* context.stdin.line()) {
        context.machine.steps.take();
        const said = take(line.replace(/\n$/, ''), path);
        if (said === 'stop') return code;
        if (said !== undefined) yield { out: said };
      }
      continue;
    }
    const content = yield* contentOf(program, path, context);
    if (content === undefined) code = 1;
    for (const line of linesOf(content?.toString('utf8') ?? '')) {
      context.machine.steps.take();
      const said = take(line, path);
      if (said === 'stop') break;
      if (said !== undefined) yield { out: said };
    }
  }
  return code;
}

export function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

/** A program that only writes. */
export function* prints(text: string, code = 0): Process {
  if (text !== '') yield { out: text };
  return code;
}

export function* fails(text: string, code = 1): Process {
  if (text !== '') yield { err: text };
  return code;
}
