import type { LogEntry, RunBehaviour } from './container-behaviour';
import { annotatedDuration } from './durations';
import { parseExitCode, partsOf, Words } from './grammar';

/** A run of an init container that nothing is said about, ms. */
export const initRunMs = 100;
/** A run that is said to end with a code, but not when, ms. */
const shortRunMs = 1_000;

type Values = ReadonlyMap<string, string>;

/** Keys that say how long a container's runs last, or what they end with. */
export const runKeys: readonly string[] = ['runs', 'run-for', 'exit-code'];

/**
 * What the attempts of a container do: `runs` tells of each (`1s exit 1; 20s to 40s; 3s oom; forever`), the last repeats; `run-for` and
 * `exit-code` tell of all. `message` and `log` go for every one, `message.2` and `log.2` for the second.
 */
export function runsOf(values: Values, role: string): RunBehaviour[] {
  const runs = attemptsOf(values.get('runs')) ?? [everyRun(values, role)];
  const told = [...values.keys()].map((key) => Number(/^(?:message|log)\.([1-9]\d{0,2})$/.exec(key)?.[1] ?? 0));
  const count = Math.max(runs.length, ...told);
  return Array.from({ length: count }, (_, index) => {
    const run = runs[Math.min(index, runs.length - 1)] as RunBehaviour;
    const message = values.get(`message.${index + 1}`) ?? values.get('message');
    const log = values.get(`log.${index + 1}`) ?? values.get('log');
    if (message === undefined && log === undefined) return run;
    return { ...run, ...(message === undefined ? {} : { message }), ...(log === undefined ? {} : { log: logOf(log) }) };
  });
}

function everyRun(values: Values, role: string): RunBehaviour {
  const exitCode = parseExitCode(values.get('exit-code'));
  const runFor = values.get('run-for');
  const span = runFor === undefined ? undefined : spanOf(new Words(partsOf(runFor)?.[0] ?? []));
  if (span) return { ...span, exitCode: exitCode ?? 0 };
  return { runForMs: exitCode !== undefined ? shortRunMs : role === 'init' ? initRunMs : undefined, exitCode: exitCode ?? 0 };
}

/** `20s`, or `20s to 40s`: the words that it takes must be all. */
function spanOf(words: Words): Pick<RunBehaviour, 'runForMs' | 'runForMaxMs'> | undefined {
  const span = takeSpan(words);
  return words.isOver ? span : undefined;
}

function takeSpan(words: Words): Pick<RunBehaviour, 'runForMs' | 'runForMaxMs'> | undefined {
  const runForMs = words.duration();
  if (runForMs === undefined) return undefined;
  if (!words.take('to')) return { runForMs };
  const runForMaxMs = words.duration();
  return runForMaxMs === undefined || runForMaxMs < runForMs ? undefined : { runForMs, runForMaxMs };
}

const killed = 137;

function attemptsOf(value: string | undefined): RunBehaviour[] | undefined {
  if (value === undefined) return undefined;
  const runs = partsOf(value)?.map((part): RunBehaviour | undefined => {
    const words = new Words(part);
    if (words.take('forever')) return words.isOver ? { exitCode: 0 } : undefined;
    const span = takeSpan(words);
    const oomKilled = words.take('oom');
    const exitCode = words.take('exit') ? parseExitCode(words.next()?.text) : oomKilled ? killed : 0;
    if (!span || exitCode === undefined || !words.isOver) return undefined;
    return { ...span, exitCode, ...(oomKilled ? { oomKilled } : {}) };
  });
  return runs?.every((run) => run !== undefined) ? runs : undefined;
}

const lineGrammar = /^\[(?:(end)|every (\S+)|(\S+))\] ?(.*)$/s;

/** Lines of a log: at the start, after `[2s]`, at the end (`[end]`), again and again (`[every 10s]`); a line without any comes with the one before. */
export function logOf(value: string): LogEntry[] {
  let when: Omit<LogEntry, 'text'> = { atMs: 0 };
  const text = value.endsWith('\n') ? value.slice(0, -1) : value;
  return text.split('\n').map((line) => {
    const [, end, every, at, rest = ''] = lineGrammar.exec(line) ?? [];
    const everyMs = annotatedDuration(every);
    const atMs = annotatedDuration(at);
    if (end !== undefined) when = { atMs: 0, atEnd: true };
    else if (everyMs) when = { atMs: everyMs, everyMs };
    else if (atMs !== undefined) when = { atMs };
    else return { ...when, text: line };
    return { ...when, text: rest };
  });
}
