import type { RunProgram } from '../context';
import { NotSimulatedError } from '../process';
import { fullPath } from '../files';
import { contentOf, eachLine, linesOf, readArguments } from './helpers';

const cat: RunProgram = function* (args, context) {
  const { rest } = readArguments(args, ['u']);
  let code = 0;
  for (const path of rest.length > 0 ? rest : ['-']) {
    if (path === '-') {
      for (let bytes = yield* context.stdin.chunk(); bytes !== undefined; bytes = yield* context.stdin.chunk()) yield { out: bytes };
      continue;
    }
    const content = yield* contentOf('cat', path, context);
    if (content === undefined) code = 1;
    else if (content.length > 0) yield { out: content };
  }
  return code;
};

/** `-n N`, `-N`. */
function countOf(
  args: readonly string[],
  flags: readonly string[],
): { count: number; rest: readonly string[]; options: ReadonlyMap<string, string> } {
  const { options, rest } = readArguments(
    args.map((arg) => (/^-\d+$/.test(arg) ? `-n${arg.slice(1)}` : arg)),
    flags,
    ['n'],
  );
  const count = Number(options.get('n') ?? 10);
  if (!Number.isInteger(count) || count < 0) throw new NotSimulatedError('a count from the other end');
  return { count, rest, options };
}

const head: RunProgram = function* (args, context) {
  const { count, rest } = countOf(args, ['q']);
  if (rest.length > 1) throw new NotSimulatedError('head of several files');
  let left = count;
  if (left === 0) return 0;
  let isLast = false;
  return yield* eachLine('head', rest, context, (line) => {
    if (isLast) return 'stop';
    isLast = --left === 0;
    return `${line}\n`;
  });
};

const tail: RunProgram = function* (args, context) {
  const { count, rest, options } = countOf(args, ['f', 'F', 'q']);
  if (rest.length > 1) throw new NotSimulatedError('tail of several files');
  const content = yield* contentOf('tail', rest[0] ?? '-', context);
  if (content === undefined) return 1;
  const lines = linesOf(content.toString('utf8'));
  for (const line of count === 0 ? [] : lines.slice(-count)) yield { out: `${line}\n` };
  if (!options.has('f') && !options.has('F')) return 0;
  // Nobody writes to the file any more: it is followed for ever.
  for (;;) yield { waitMs: 86_400_000 };
};

const grep: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['q', 'v', 'i', 'E', 'F', 'c', 'n', 'o', 's', 'w'], ['e']);
  if (options.has('o') || options.has('w')) throw new NotSimulatedError('grep');
  const [pattern, ...paths] = options.has('e') ? [options.get('e') as string, ...rest] : rest;
  if (pattern === undefined) throw new NotSimulatedError('grep');
  const matches = lineMatcher(pattern, options.has('F'), options.has('i'));
  let found = 0;
  let number = 0;
  const code = yield* eachLine('grep', paths, context, (line, path) => {
    number++;
    if (matches(line) === options.has('v')) return undefined;
    found++;
    if (options.has('q')) return 'stop';
    if (options.has('c')) return undefined;
    return `${paths.length > 1 ? `${path}:` : ''}${options.has('n') ? `${number}:` : ''}${line}\n`;
  });
  if (options.has('c')) yield { out: `${found}\n` };
  if (found > 0) return 0;
  return code === 0 ? 1 : 2;
};

/**
 * Patterns without anything repeated but single characters, which take time by the length of the line.
 * @throws NotSimulatedError at any other pattern
 */
function lineMatcher(pattern: string, isFixed: boolean, ignoresCase: boolean): (line: string) => boolean {
  const given = ignoresCase ? pattern.toLowerCase() : pattern;
  const text = (line: string): string => (ignoresCase ? line.toLowerCase() : line);
  if (isFixed || !/[.*+?[\](){}|\\^$]/.test(given)) return (line) => text(line).includes(given);
  if (/[+?(){}|\\]|\*.*\*|\[/.test(given)) throw new NotSimulatedError('a regular expression');
  const expression = new RegExp(given);
  return (line) => expression.test(text(line));
}

const wc: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['l', 'w', 'c']);
  const content = yield* contentOf('wc', rest[0] ?? '-', context);
  if (content === undefined) return 1;
  const text = content.toString('utf8');
  const counts: [string, number][] = [
    ['l', text.split('\n').length - 1],
    ['w', text.split(/\s+/).filter(Boolean).length],
    ['c', content.length],
  ];
  const asked = counts.filter(([letter]) => options.size === 0 || options.has(letter));
  const shown = asked.length === 1 ? asked.map(([, count]) => String(count)) : asked.map(([, count]) => String(count).padStart(9));
  yield { out: `${shown.join(' ')}${rest[0] === undefined ? '' : ` ${rest[0]}`}\n` };
  return 0;
};

const sort: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['n', 'r', 'u']);
  const content = yield* contentOf('sort', rest[0] ?? '-', context);
  if (content === undefined) return 1;
  let lines = linesOf(content.toString('utf8'));
  lines.sort((a, b) => (options.has('n') && Number.parseFloat(a) - Number.parseFloat(b)) || (a < b ? -1 : a > b ? 1 : 0));
  if (options.has('r')) lines.reverse();
  if (options.has('u')) lines = lines.filter((line, index) => line !== lines[index - 1]);
  for (const line of lines) yield { out: `${line}\n` };
  return 0;
};

const uniq: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['c']);
  const content = yield* contentOf('uniq', rest[0] ?? '-', context);
  if (content === undefined) return 1;
  const groups: { line: string; count: number }[] = [];
  for (const line of linesOf(content.toString('utf8'))) {
    const last = groups[groups.length - 1];
    if (last?.line === line) last.count++;
    else groups.push({ line, count: 1 });
  }
  for (const { line, count } of groups) yield { out: `${options.has('c') ? `${String(count).padStart(7)} ` : ''}${line}\n` };
  return 0;
};

const cut: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['s'], ['d', 'f', 'c']);
  const fields = /^(\d+)(?:-(\d*))?$/.exec(options.get('f') ?? options.get('c') ?? '');
  if (!fields) throw new NotSimulatedError('cut');
  const first = Number(fields[1]) - 1;
  const last = fields[2] === undefined ? first + 1 : fields[2] === '' ? undefined : Number(fields[2]);
  const by = options.has('c') ? '' : (options.get('d') ?? '\t');
  return yield* eachLine('cut', rest, context, (line) => `${line.includes(by) ? line.split(by).slice(first, last).join(by) : line}\n`);
};

const tr: RunProgram = function* (args, context) {
  const { options, rest } = readArguments(args, ['d', 's']);
  const [from, to = ''] = rest.map(characters);
  if (from === undefined || options.has('s')) throw new NotSimulatedError('tr');
  const translated = new Map([...from].map((each, index) => [each, options.has('d') ? '' : (to[Math.min(index, to.length - 1)] ?? '')]));
  const text = (yield* context.stdin.all()).toString('utf8');
  yield { out: [...text].map((each) => translated.get(each) ?? each).join('') };
  return 0;
};

function characters(set: string): string {
  const text = set
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace('[:upper:]', 'A-Z')
    .replace('[:lower:]', 'a-z')
    .replace('[:digit:]', '0-9');
  return text.replace(/([ -~])-([ -~])/g, (_, first: string, last: string) => {
    const [from, to] = [first.charCodeAt(0), last.charCodeAt(0)];
    return Array.from({ length: Math.max(0, to - from + 1) }, (__, index) => String.fromCharCode(from + index)).join('');
  });
}

const tee: RunProgram = function* (args, { stdin, folder, machine }) {
  const { options, rest } = readArguments(args, ['a']);
  if (!options.has('a')) for (const path of rest) machine.files.write(fullPath(folder, path), '');
  for (let bytes = yield* stdin.chunk(); bytes !== undefined; bytes = yield* stdin.chunk()) {
    machine.steps.take();
    for (const path of rest) {
      const problem = machine.files.write(fullPath(folder, path), bytes, true);
      if (problem !== undefined) yield { err: `tee: ${path}: ${problem}\n` };
    }
    yield { out: bytes };
  }
  return 0;
};

export const texts: Readonly<Record<string, RunProgram>> = { cat, cut, grep, head, sort, tail, tee, tr, uniq, wc };
