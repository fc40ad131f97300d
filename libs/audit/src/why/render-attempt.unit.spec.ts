import { describe, expect, it } from 'vitest';
import type { ExplainedAttempt, VictimChoice } from './explained-attempt';
import { attemptLines } from './render-attempt';

const victim = (pod: string, left?: number): VictimChoice => ({
  pod,
  priority: 100,
  ...(left === undefined ? {} : { budget: { name: 'shop', left } }),
});

function told(victims: VictimChoice[], reprieved: VictimChoice[]): string {
  const budgetViolations = victims.filter(({ budget }) => budget).length;
  const candidates = [{ node: 'node-1', victims, reprieved, budgetViolations, chosen: true }];
  const preemption = { eligible: true, candidates, rejected: [], best: [] };
  const attempt = { outcome: 'nominated', priority: 1000, nodes: [], oddities: [], preemption } as unknown as ExplainedAttempt;
  return attemptLines(attempt, true).at(-1) as string;
}

describe('a candidate for preemption in words', () => {
  it('a budget with nothing left keeps its pods, or is broken', () => {
    expect(told([victim('a', 0)], [victim('b', 0)])).toBe(
      '→ node-1  removes a (100) against budget "shop" (0 left); keeps b (100): kept first, its budget "shop" has 0 left',
    );
  });

  it('a budget with something left says how many of its pods may go, as one more would break it', () => {
    expect(told([victim('a'), victim('b', 1)], [victim('c', 1), victim('d')])).toBe(
      '→ node-1  removes a (100), b (100) against budget "shop" (only 1 may go); keeps c (100): kept first, of its budget "shop" only 1 may go, d (100)',
    );
  });
});
