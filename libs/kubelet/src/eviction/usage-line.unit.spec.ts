import { describe, expect, it } from 'vitest';
import { firstLook, lineOf, lookBefore, lookFrom, sumOf, usedAt } from './usage-line';

const looks = { from: 1_000, everyMs: 10_000 };

describe('what a container uses', () => {
  it('is the usual until something is said, and what is said from then on', () => {
    const line = lineOf([{ fromMs: 5_000, amount: 300 }], 1_000, 7);
    expect([0, 1_000, 5_999, 6_000].map((time) => usedAt(line, time))).toEqual([0, 7, 7, 300]);
  });

  it('grows, up to its bound', () => {
    const line = lineOf([{ fromMs: 0, amount: 100, growthPerSecond: 10, max: 150 }], 0, 0);
    expect([0, 2_500, 5_000, 60_000].map((time) => usedAt(line, time))).toEqual([100, 125, 150, 150]);
  });

  it('goes over into the next step before it has grown to its bound', () => {
    const steps = [
      { fromMs: 0, amount: 100, growthPerSecond: 10, max: 1_000 },
      { fromMs: 3_000, amount: 20 },
    ];
    expect([2_000, 3_000, 200_000].map((time) => usedAt(lineOf(steps, 0, 0), time))).toEqual([120, 20, 20]);
  });
});

describe('what several use together', () => {
  it('is the sum at every moment', () => {
    const lines = [
      lineOf([{ fromMs: 0, amount: 100, growthPerSecond: 10, max: 150 }], 500, 0),
      lineOf([{ fromMs: 2_000, amount: 40 }], 0, 1),
      lineOf([], 4_000, 1),
    ];
    const sum = sumOf(lines);
    for (let time = 0; time < 12_000; time += 250)
      expect(usedAt(sum, time)).toBeCloseTo(
        lines.reduce((total, line) => total + usedAt(line, time), 0),
        6,
      );
  });

  it('is nothing where there is nobody', () => {
    expect(usedAt(sumOf([]), 5)).toBe(0);
  });
});

describe('looks at equal distances', () => {
  it('are found around a moment', () => {
    expect([lookFrom(looks, 1_000), lookFrom(looks, 1_001), lookBefore(looks, 10_999), lookBefore(looks, 11_000)]).toEqual([
      1_000, 11_000, 1_000, 11_000,
    ]);
  });

  it('find what is over a bound at the first that comes after it is', () => {
    const line = lineOf([{ fromMs: 0, amount: 0, growthPerSecond: 1 }], 0, 0);
    expect(firstLook(line, looks, 11_000, 25, true)).toBe(31_000);
    // At 31 s just the bound is used.
    expect(firstLook(line, looks, 11_000, 31, true)).toBe(41_000);
    expect(firstLook(line, looks, 51_000, 31, true)).toBe(51_000);
  });

  it('find what is under it again, and nothing where that never comes', () => {
    const line = lineOf(
      [
        { fromMs: 0, amount: 500 },
        { fromMs: 65_000, amount: 100 },
      ],
      0,
      0,
    );
    expect(firstLook(line, looks, 1_000, 200, false)).toBe(71_000);
    expect(firstLook(line, looks, 1_000, 600, true)).toBeUndefined();
  });

  it('do not see what comes and goes between two of them', () => {
    const line = lineOf(
      [
        { fromMs: 0, amount: 1 },
        { fromMs: 12_000, amount: 900 },
        { fromMs: 19_000, amount: 1 },
      ],
      0,
      0,
    );
    expect(firstLook(line, looks, 1_000, 500, true)).toBeUndefined();
  });

  it('agree with looking at each, whatever grows and falls', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const steps = [0, 1, 2, 3].map((n) => ({
        fromMs: n * 13_000 + ((seed * 7_919 * (n + 1)) % 9_000),
        amount: (seed * 31 * (n + 3)) % 400,
        growthPerSecond: (seed * (n + 1)) % 3 === 0 ? (seed % 17) - 8 : 0,
      }));
      const line = lineOf(steps, 500, 5);
      for (const [bound, above] of [
        [150, true],
        [90, false],
      ] as const) {
        let slow: number | undefined;
        for (let look = 1_000; look < 400_000 && slow === undefined; look += 10_000) if (usedAt(line, look) > bound === above) slow = look;
        const found = firstLook(line, looks, 1_000, bound, above);
        expect([seed, found !== undefined && found >= 400_000 ? undefined : found]).toEqual([seed, slow]);
      }
    }
  });
});
