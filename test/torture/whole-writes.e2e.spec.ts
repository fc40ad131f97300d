import { describe, expect, it } from 'vitest';
import { tortureWholeWrites } from './whole-writes';

const seed = Number(process.env.KUBEREEL_TORTURE_SEED ?? 20_261_120);

describe('eight clients that create, patch and delete the same objects at once', () => {
  it.each([
    ['in one process', 200, [], false],
    ['in one process, while the wall clock is set', 100, [], true],
    ['in memory', 100, ['--ephemeral'], false],
    ['each app a process of its own', 80, ['--split'], false],
  ])('get answers that fit an order of whole writes: %s', { timeout: 180_000 }, async (_name, rounds, flags, setClock) => {
    const report = await tortureWholeWrites({ rounds, clients: 8, seed, flags, setClock });
    expect(report.problems).toEqual([]);
    expect(report.operations).toBeGreaterThan(rounds * 3);
    // In memory there is nothing left to verify.
    if (flags.includes('--ephemeral')) return;
    expect(report.verified).toMatch(/digest chain whole/);
    expect(report.verified).toMatch(/^\d+ decisions made again: all agree$/m);
  });
});
