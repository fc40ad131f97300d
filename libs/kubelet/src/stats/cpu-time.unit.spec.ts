import { describe, expect, it } from 'vitest';
import { cpuAt, cpuTimeAt, type CpuUse } from './cpu-time';

/** The same by adding up what is used in every ms. */
function addedUp(use: CpuUse, untilMs: number): number {
  let sum = 0;
  for (let at = 0; at < untilMs; at++) sum += (cpuAt(use, at) + cpuAt(use, at + 0.999)) / 2;
  return sum;
}

const uses: [string, CpuUse][] = [
  ['nothing', { steps: [] }],
  ['the same all the time', { steps: [{ fromMs: 0, amount: 50 }] }],
  ['nothing at first', { steps: [{ fromMs: 700, amount: 50 }] }],
  ['more from a moment on', { steps: [{ fromMs: 0, amount: 50 }, { fromMs: 1_200, amount: 1_500 }] }], // prettier-ignore
  ['more and more', { steps: [{ fromMs: 0, amount: 10, growthPerSecond: 100 }] }],
  ['more up to a bound', { steps: [{ fromMs: 0, amount: 10, growthPerSecond: 100, max: 150 }] }],
  ['more than it is given', { steps: [{ fromMs: 0, amount: 10, growthPerSecond: 100 }, { fromMs: 2_500, amount: 900 }], limit: 200 }], // prettier-ignore
  ['ups and downs', { steps: [{ fromMs: 0, amount: 20 }, { fromMs: 300, amount: 60 }], cycleMs: 700 }], // prettier-ignore
];

describe('processor time', () => {
  it.each(uses)('of a run that uses %s is what it uses, added up', (_what, use) => {
    for (const untilMs of [0, 100, 700, 1_000, 2_500, 4_321]) {
      const sum = addedUp(use, untilMs);
      expect(Math.abs(cpuTimeAt(use, untilMs) - sum), `${untilMs} ms`).toBeLessThanOrEqual(1 + sum / 1_000);
    }
  });

  it('is none before the start, and never goes back', () => {
    for (const [, use] of uses) {
      expect(cpuTimeAt(use, -5)).toBe(0);
      let before = 0;
      for (let at = 0; at < 5_000; at += 50) {
        const time = cpuTimeAt(use, at);
        expect(time).toBeGreaterThanOrEqual(before);
        before = time;
      }
    }
  });
});
