import type { Deed, Finished, Reading, Surroundings } from './process';

/** A program by its name. `undefined` from one that does not know its arguments: it would need what is not simulated. */
export type RunProgram = (args: readonly string[], surroundings: Surroundings) => Finished | Reading | undefined;

const ends = (exitCode: number, ...deeds: Deed[]): Finished => ({ exitCode, deeds });
const prints = (text: string): Finished => ends(0, { out: `${text}\n` });

/** Programs that every container is taken to have. */
export const programs: ReadonlyMap<string, RunProgram> = new Map<string, RunProgram>([
  ['true', () => ends(0)],
  ['false', () => ends(1)],
  [':', () => ends(0)],
  ['echo', (args) => echo(args)],
  ['printf', (args) => ends(0, { out: unescaped(args[0] ?? '').replace(/%s/g, () => args[1] ?? '') })],
  ['hostname', (_, { hostname }) => prints(hostname)],
  ['pwd', () => prints('/')],
  ['whoami', () => prints('root')],
  ['id', () => prints('uid=0(root) gid=0(root) groups=0(root)')],
  ['uname', (args) => (args.length === 0 ? prints('Linux') : undefined)],
  ['env', (args, { env }) => (args.length > 0 ? undefined : ends(0, ...[...env].map(([name, value]) => ({ out: `${name}=${value}\n` }))))],
  ['printenv', (args, surroundings) => printenv(args, surroundings)],
  ['cat', (args, surroundings) => cat(args, surroundings)],
  ['sleep', (args) => sleep(args)],
]);

function echo(args: readonly string[]): Finished {
  const bare = args[0] === '-n';
  return ends(0, { out: `${args.slice(bare ? 1 : 0).join(' ')}${bare ? '' : '\n'}` });
}

function printenv(args: readonly string[], { env }: Surroundings): Finished {
  const names = args.length > 0 ? args : [...env.keys()];
  const found = names.filter((name) => env.has(name));
  const text = (name: string): string => (args.length > 0 ? '' : `${name}=`) + (env.get(name) ?? '');
  return ends(found.length === names.length ? 0 : 1, ...found.map((name) => ({ out: `${text(name)}\n` })));
}

function cat(args: readonly string[], { files }: Surroundings): Finished | Reading {
  if (args.length === 0 || args[0] === '-') return { deeds: [], input: (bytes) => ({ deeds: [{ bytes }] }), endOfInput: () => ends(0) };
  const deeds = args.map((path): Deed => {
    const text = files.get(path);
    return text === undefined ? { err: `cat: can't open '${path}': No such file or directory\n` } : { out: text };
  });
  return ends(deeds.some((deed) => 'err' in deed) ? 1 : 0, ...deeds);
}

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };
/** Longest sleep, ms: ten years. `infinity` never ends. */
const sleepMaxMs = 10 * 365 * 86_400_000;

function sleep(args: readonly string[]): Finished | Reading {
  if (args[0] === 'infinity' || args[0] === 'inf') return forEver;
  if (args.length === 0) return ends(1, { err: 'sleep: missing operand\n' });
  let seconds = 0;
  for (const arg of args) {
    const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(arg);
    if (!match) return ends(1, { err: `sleep: invalid number '${arg}'\n` });
    seconds += Number(match[1]) * (units[match[2] as string] as number);
  }
  return ends(0, { waitMs: Math.min(seconds * 1_000, sleepMaxMs) });
}

/** Takes no notice of its input and never ends. */
const forEver: Reading = { deeds: [], input: () => ({ deeds: [] }), endOfInput: () => ends(0, { waitMs: sleepMaxMs }) };

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

function unescaped(text: string): string {
  return text.replace(/\\([ntr\\])/g, (_, letter: string) => escapes[letter] as string);
}
