// Steps of recordings that wait for something that is not built yet (`waiting.json`): told apart from those that are answered wrongly,
// and never counted as agreeing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionResult } from './play-result';

/** By player, recording and what is waited for: the steps, `1-3,7`. A verification of the log never waits. */
type Waiting = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

const waiting = JSON.parse(readFileSync(join(__dirname, 'waiting.json'), 'utf8')) as Waiting;

/** `1-3,7` as numbers. */
export function numbersIn(ranges: string): number[] {
  return ranges.split(',').flatMap((range) => {
    const [from = NaN, to = from] = range.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

/** Names what the steps that differ wait for. One that is listed and agrees is an agreement like any other. */
export function tellWaiting(player: string, results: readonly SessionResult[], listed: Waiting = waiting): SessionResult[] {
  return results.map((result) => {
    const reasons = new Map<number | string, string>();
    for (const [reason, ranges] of Object.entries(listed[player]?.[result.session] ?? {})) {
      for (const step of numbersIn(ranges)) reasons.set(step, reason);
    }
    const steps = result.steps.map((step) => {
      const waitsFor = step.differences.length > 0 ? reasons.get(step.step) : undefined;
      return waitsFor === undefined ? step : { ...step, waitsFor };
    });
    return { ...result, steps };
  });
}
