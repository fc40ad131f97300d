import type { KubeObject } from '#libs/kernel';
import { EndlessError } from './context';
import { commandOf } from './default-commands';
import type { Files } from './files';
import { NotSimulatedError, TooManyStepsError } from './process';
import { startProgram, type ProgramContainer } from './start-program';
import { notWorking, Output, type OutputPiece } from './output';
import { NotYetError, type World } from './world';

/** How a run ends by itself. */
export interface ProgramEnd {
  /** From the start, ms. */
  afterMs: number;
  exitCode: number;
  /** What it left at its `terminationMessagePath`. */
  message?: string;
}

/** What a run of a container's own program comes to, as far as it can be told at a moment. */
export interface ProgramRun {
  /** Absent: it goes on. */
  end?: ProgramEnd;
  /** It goes round until something outside is otherwise. */
  waits: boolean;
  /** When it looks at the cluster next, ms since the epoch: before that its end cannot be told. */
  looksAt?: number;
  output: OutputPiece[];
}

/** Longest that anything is waited for, ms: ten years. */
const lastingMaxMs = 10 * 365 * 86_400_000;
/** Least time that a run takes, ms. */
const runMinMs = 50;

/**
 * Follows the program of a container from its start: to its end, or to a moment. Undefined: the container has none that is simulated, and
 * does what a server does.
 * @param startedAt ms since the epoch; programs see whole seconds of it
 * `untilMs`: from the start; absent: the end is looked for, in the world as it is
 * `look`: is shown the files whenever they have changed and time goes on, and in the end
 */
export function followProgram(
  pod: KubeObject,
  container: ProgramContainer & { terminationMessagePolicy?: string },
  world: World,
  startedAt: number,
  { untilMs, turnsShown, look }: { untilMs?: number; turnsShown?: number; look?: (files: Files, afterMs: number) => void } = {},
): ProgramRun | undefined {
  const command = commandOf(container);
  if (!command) return undefined;
  const at = Math.floor(startedAt / 1_000) * 1_000;
  const hasEnd = untilMs === undefined;
  const own = { isTerminal: container.tty ?? false, hasInput: container.stdin ?? false };
  const options = { at, ...own, unknown: 'serves', seeksEnd: hasEnd, turnsShown } as const;
  const started = startProgram(command, pod, container, world, options);
  if ('error' in started) return undefined;
  const { process, machine } = started;
  const output = new Output(container.tty ?? false);
  const run: ProgramRun = { waits: false, output: output.pieces };
  let passedMs = 0;
  let seen: number | undefined;
  const show = (): void => {
    if (seen === machine.files.changes) return;
    seen = machine.files.changes;
    look?.(machine.files, passedMs);
  };
  try {
    for (;;) {
      const { done, value } = process.next(undefined);
      if (done) {
        const message = messageOf(machine.files.read(container.terminationMessagePath ?? '/dev/termination-log'), container, value, output);
        run.end = { afterMs: Math.max(passedMs, runMinMs), exitCode: value, ...(message === '' ? {} : { message }) };
        return run;
      }
      if ('wants' in value) return run;
      if ('waitMs' in value) {
        show();
        passedMs += value.waitMs;
      } else {
        const written = 'out' in value ? value.out : value.err;
        machine.steps.take(written.length >> 10);
        output.add(passedMs, written);
      }
      if (passedMs > (untilMs ?? lastingMaxMs)) return run;
    }
  } catch (error) {
    if (error instanceof NotSimulatedError) output.add(passedMs, notWorking(error.message));
    else if (error instanceof NotYetError) run.looksAt = error.at;
    else if (error instanceof EndlessError || error instanceof TooManyStepsError)
      run.waits = error instanceof EndlessError && world.hasLooked;
    else throw error;
    return run;
  } finally {
    show();
  }
}

/** Bytes of a message (upstream `MaxContainerTerminationMessageLength`), and of one that is taken from what was written. */
const messageMax = 4096;
const logMessageMax = 2048;
const logMessageLines = 80;

function messageOf(
  text: string | Buffer = '',
  { terminationMessagePolicy }: { terminationMessagePolicy?: string },
  exitCode: number,
  output: Output,
): string {
  if (text.length > 0 || exitCode === 0 || terminationMessagePolicy !== 'FallbackToLogsOnError')
    return Buffer.from(text).subarray(0, messageMax).toString('utf8');
  const all = output.pieces.map((piece) => piece[1]).join('');
  const lines = all
    .split('\n')
    .slice(-logMessageLines - 1)
    .join('\n');
  return Buffer.from(lines).subarray(-logMessageMax).toString('utf8');
}
