// The command's arguments and its printing, apart from what is played.
import type { PlayOptions, SessionResult } from './play-result';
import { failedSteps, passedSteps, sessionLines, waitingSteps } from './play-result';

export interface Arguments {
  positional: string[];
  flags: Record<string, string | undefined>;
}

const switches: ReadonlySet<string> = new Set(['all', 'json', 'help', 'no-pauses', 'verify']);

/** `--name VALUE`, `--name=VALUE`, and switches; throws for a flag without its value. */
export function parseArguments(args: readonly string[]): Arguments {
  const parsed: Arguments = { positional: [], flags: Object.create(null) as Record<string, string | undefined> };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    if (!arg.startsWith('--')) {
      parsed.positional.push(arg);
      continue;
    }
    const [name = '', value] = arg.slice(2).split(/=(.*)/s);
    if (switches.has(name)) parsed.flags[name] = 'true';
    else if (value !== undefined) parsed.flags[name] = value;
    else {
      index += 1;
      if (args[index] === undefined) throw new Error(`--${name} needs a value`);
      parsed.flags[name] = args[index];
    }
  }
  return parsed;
}

export interface Outcome {
  passed: number;
  failed: number;
  /** Steps that wait for something that is not built yet, counted as neither. */
  waiting?: number;
}

export function sumUp(results: readonly SessionResult[]): Outcome {
  const outcome = { passed: 0, failed: 0, waiting: 0 };
  for (const result of results) {
    if (result.skipped !== undefined) continue;
    outcome.passed += passedSteps(result);
    outcome.failed += failedSteps(result);
    for (const count of waitingSteps(result).values()) outcome.waiting += count;
  }
  return outcome;
}

export const totalLine = ({ passed, failed, waiting = 0 }: Outcome): string =>
  `${waiting > 0 ? `${waiting} wait; ` : ''}${passed} passed, ${failed} failed`;

/** As lines, the total last; or as one JSON document. */
export function printResults(
  results: readonly SessionResult[],
  outcome: Outcome,
  options: Pick<PlayOptions, 'out' | 'all' | 'json'>,
): void {
  if (options.json) {
    options.out(JSON.stringify({ ...outcome, results }, undefined, 2));
    return;
  }
  for (const result of results) for (const line of sessionLines(result, options.all)) options.out(line);
  options.out(totalLine(outcome));
}
