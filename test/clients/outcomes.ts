import type { Outcomes } from './client';

/** What a program in another language says of its checks: lines `ok NAME` and `not ok NAME -- why`; all else is its own business. */
export function outcomesOf(output: string): Outcomes {
  const outcomes: Outcomes = new Map();
  for (const line of output.split('\n')) {
    const [, held, failed, why] = /^(?:ok (.+)|not ok (.+?)(?: --(?: (.*))?)?)$/.exec(line.trimEnd()) ?? [];
    if (held) outcomes.set(held, undefined);
    if (failed) outcomes.set(failed, why || 'it does not say why');
  }
  return outcomes;
}

/** Runs checks written here one after the other. A check that fails does not keep the next from being tried. */
export async function runChecks<T>(checks: Record<string, (given: T) => Promise<void>>, given: T): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check(given);
      outcomes.set(name, undefined);
    } catch (error) {
      outcomes.set(name, (error as Error).stack ?? String(error));
    }
  }
  return outcomes;
}
