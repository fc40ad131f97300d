import { EndlessError } from '../context';
import { wantsInput, type Deed, type Given, type Part, type Process } from '../process';
import type { Stdin } from '../stdin';
import type { Shell } from './shell';
import type { Command, List, Loop } from './syntax';

/** What a loop was like when a turn began. */
interface Turn {
  state: string;
  at: number;
}

/** `while` and `until`. */
export function* runLoop(shell: Shell, loop: Loop, stdin: Stdin, isTested: boolean): Process {
  const { machine } = shell;
  if (machine.seeksEnd && isEndless(loop)) throw new EndlessError();
  let before: Turn | undefined;
  let code = 0;
  for (;;) {
    machine.steps.take();
    const turn = { state: stateOf(shell, stdin), at: machine.clock.now };
    if (before?.state === turn.state) {
      const skipped = passed(shell, before, turn);
      if (skipped > 0) yield { waitMs: skipped };
      machine.clock.now += skipped;
      before = undefined;
    } else before = turn;
    if (!(yield* goesOn(shell, loop, stdin))) return code;
    const result = yield* shell.turn(loop.body, stdin, isTested);
    if (result === 'break') return 0;
    code = result === 'continue' ? 0 : result;
  }
}

/** What the next turn depends on. */
function stateOf({ scope, machine }: Shell, { taken }: Stdin): string {
  return `${taken} ${machine.files.changes} ${scope.digest()}`;
}

/**
 * Of a loop whose turns are all alike: the time that may be passed over. Where no time passes in a turn, or the moment looked at is
 * reached by who looks for the end, it has none.
 */
function passed({ machine }: Shell, before: Turn, turn: Turn): number {
  const { clock, world, seeksEnd, turnsShown } = machine;
  const period = turn.at - before.at;
  if (period === 0 || (seeksEnd && before.at >= world.now)) throw new EndlessError();
  const turns = Math.floor((world.now - clock.now) / period) - turnsShown;
  return turns > 0 ? turns * period : 0;
}

/**
 * Whether there is another turn. Conditions that look at the cluster (`until wget -q web`) were looked at before, and the loop went on:
 * at those moments things were the other way round.
 */
function* goesOn(shell: Shell, { condition, isUntil }: Loop, stdin: Stdin): Part<boolean> {
  const { clock, world } = shell.machine;
  const another = (code: number): boolean => (code === 0) !== isUntil;
  if (clock.now >= world.now) return another(yield* foreseen(shell, condition, stdin));
  const { now } = clock;
  const hadLooked = world.hasLooked;
  world.hasLooked = false;
  const present = yield* held(shell.list(condition, stdin, true));
  const looked = world.hasLooked;
  world.hasLooked ||= hadLooked;
  if (!looked || another(present.code)) {
    yield* present.deeds;
    return another(present.code);
  }
  const end = clock.now;
  clock.now = now;
  world.isBefore = true;
  const past = yield* held(shell.list(condition, stdin, true));
  world.isBefore = false;
  if (another(past.code)) {
    yield* past.deeds;
    return true;
  }
  clock.now = end;
  yield* present.deeds;
  return false;
}

/** A loop that waits for something is looked at again whenever the cluster has changed: until then it finds what it finds now. */
function* foreseen(shell: Shell, condition: List, stdin: Stdin): Process {
  const { world } = shell.machine;
  const { endsNow } = world;
  world.endsNow = false;
  try {
    return yield* shell.list(condition, stdin, true);
  } finally {
    world.endsNow = endsNow;
  }
}

/** What a piece of a script does, kept back until it is known whether it counts. */
function* held(process: Process): Part<{ code: number; deeds: Deed[] }> {
  const deeds: Deed[] = [];
  let given: Given | undefined;
  for (;;) {
    const { done, value } = process.next(given);
    given = undefined;
    if (done) return { code: value, deeds };
    if (value === wantsInput) given = yield value;
    else deeds.push(value as Deed);
  }
}

/** A loop that its own text shows to have no end. */
function isEndless({ condition, isUntil, body }: Loop): boolean {
  const [only] = condition;
  const command = only?.pipeline.commands[0];
  if (condition.length !== 1 || only?.pipeline.isNegated || only?.pipeline.commands.length !== 1 || command?.kind !== 'simple')
    return false;
  const words = command.words.map((word) => word.map((piece) => (piece.kind === 'text' ? piece.text : '$')).join(''));
  const isAlways = isUntil ? words.join(' ') === 'false' : ['true', ':', 'sleep'].includes(words[0] ?? '');
  return isAlways && !mayLeave(body);
}

const leaving = new Set(['break', 'exit', 'return', 'exec', 'eval', '.', 'source', 'set', 'continue']);

function mayLeave(list: List): boolean {
  return list.some(({ pipeline }) => pipeline.commands.some(commandMayLeave));
}

function commandMayLeave(command: Command): boolean {
  switch (command.kind) {
    case 'simple': {
      const [first] = command.words;
      // A function, or a name that is only known later, may do anything.
      return first === undefined ? false : !first.every((piece) => piece.kind === 'text' && !leaving.has(piece.text));
    }
    case 'if':
      return command.branches.some(({ condition, body }) => mayLeave(condition) || mayLeave(body)) || mayLeave(command.otherwise ?? []);
    case 'loop':
      return mayLeave(command.condition) || mayLeave(command.body);
    case 'case':
      return command.branches.some(({ body }) => mayLeave(body));
    case 'function':
      return true;
    default:
      return mayLeave(command.body);
  }
}
