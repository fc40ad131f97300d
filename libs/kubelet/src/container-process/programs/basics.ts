import type { RunProgram } from '../context';
import { NotSimulatedError, type Process } from '../process';
import { fullPath } from '../files';
import { fails, pause, prints } from './helpers';
import { formatted, unescaped } from './printf';

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 };
/** Longest sleep, ms: ten years. */
const sleepMaxMs = 10 * 365 * 86_400_000;

const sleep: RunProgram = function* (args, context) {
  if (args.length === 0) return yield* fails('sleep: missing operand\n');
  let seconds = 0;
  for (const arg of args) {
    const match = /^(\d+(?:\.\d+)?|inf(?:inity)?)([smhd]?)$/.exec(arg);
    if (!match) return yield* fails(`sleep: invalid number '${arg}'\n`);
    seconds += (arg.startsWith('inf') ? Number.POSITIVE_INFINITY : Number(match[1])) * (units[match[2] as string] as number);
  }
  if (seconds === Number.POSITIVE_INFINITY) for (;;) yield* pause(context, sleepMaxMs);
  yield* pause(context, Math.min(Math.round(seconds * 1_000), sleepMaxMs));
  return 0;
};

function echo(args: readonly string[]): Process {
  let at = 0;
  let ends = true;
  let reads = false;
  for (; /^-[neE]+$/.test(args[at] ?? ''); at++) {
    if (args[at]?.includes('n')) ends = false;
    if (args[at]?.includes('e')) reads = true;
  }
  const text = args.slice(at).join(' ');
  return prints(`${reads ? unescaped(text) : text}${ends ? '\n' : ''}`);
}

const printenv: RunProgram = (args, { env }) => {
  if (args.length === 0) return prints([...env.entries()].map(([name, value]) => `${name}=${value}\n`).join(''));
  const values = args.map((name) => env.get(name));
  const found = values.filter((value) => value !== undefined);
  return prints(found.map((value) => `${value}\n`).join(''), found.length === values.length ? 0 : 1);
};

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const date: RunProgram = (args, { machine }) => {
  const format = args.find((arg) => arg.startsWith('+'))?.slice(1) ?? '%a %b %e %H:%M:%S %Z %Y';
  if (args.some((arg) => !arg.startsWith('+') && !['-u', '--utc'].includes(arg))) throw new NotSimulatedError('date');
  const now = new Date(machine.clock.now);
  const [full, time] = now.toISOString().split('T') as [string, string];
  const two = (number: number): string => String(number).padStart(2, '0');
  const known: Record<string, string> = {
    a: days[now.getUTCDay()] as string,
    b: months[now.getUTCMonth()] as string,
    d: two(now.getUTCDate()),
    e: String(now.getUTCDate()).padStart(2, ' '),
    F: full,
    H: two(now.getUTCHours()),
    I: full,
    M: two(now.getUTCMinutes()),
    m: two(now.getUTCMonth() + 1),
    N: `${time.slice(9, 12)}000000`,
    S: two(now.getUTCSeconds()),
    s: String(Math.floor(machine.clock.now / 1000)),
    T: time.slice(0, 8),
    Y: full.slice(0, 4),
    y: full.slice(2, 4),
    Z: 'UTC',
    z: '+0000',
    n: '\n',
    t: '\t',
    '%': '%',
  };
  return prints(`${format.replace(/%([A-Za-z%])/g, (whole, letter: string) => known[letter] ?? whole)}\n`);
};

const seq: RunProgram = function* (args, { machine }) {
  const numbers = args.map(Number);
  if (numbers.length < 1 || numbers.length > 3 || numbers.some((number) => !Number.isInteger(number))) throw new NotSimulatedError('seq');
  const last = numbers[numbers.length - 1] as number;
  const first = numbers.length > 1 ? (numbers[0] as number) : 1;
  const step = numbers.length > 2 ? (numbers[1] as number) : 1;
  if (step === 0) throw new NotSimulatedError('seq');
  for (let number = first; step > 0 ? number <= last : number >= last; number += step) {
    machine.steps.take();
    yield { out: `${number}\n` };
  }
  return 0;
};

const yes: RunProgram = function* (args, { machine }) {
  for (;;) {
    machine.steps.take();
    yield { out: `${args.length > 0 ? args.join(' ') : 'y'}\n` };
  }
};

const which: RunProgram = (args, { machine }) => {
  const found = args.filter((name) => machine.find(name) ?? machine.files.exists(fullPath('/', name)));
  return prints(found.map((name) => `${name.startsWith('/') ? '' : '/bin/'}${name}\n`).join(''), found.length === args.length ? 0 : 1);
};

const hostname: RunProgram = (args, { machine }) => prints(`${args[0] === '-i' ? machine.address : machine.hostname}\n`);

const uname: RunProgram = ([option], { machine }) => {
  if (option === undefined || option === '-s') return prints('Linux\n');
  if (option === '-n') return prints(`${machine.hostname}\n`);
  if (option === '-m') return prints('x86_64\n');
  if (option === '-r') return prints('6.1.0-26-amd64\n');
  if (option === '-a') return prints(`Linux ${machine.hostname} 6.1.0-26-amd64 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n`);
  throw new NotSimulatedError('uname');
};

export const basics: Readonly<Record<string, RunProgram>> = {
  date,
  echo: (args) => echo(args),
  false: () => prints('', 1),
  hostname,
  id: ([option]) => prints(option === '-u' || option === '-g' ? '0\n' : 'uid=0(root) gid=0(root) groups=0(root)\n'),
  nproc: () => prints('4\n'),
  printenv,
  printf: ([format = '', ...args]) => prints(formatted(format, args)),
  pwd: (_, { folder }) => prints(`${folder}\n`),
  seq,
  sleep,
  sync: () => prints(''),
  true: () => prints(''),
  uname,
  which,
  whoami: () => prints('root\n'),
  yes,
};
