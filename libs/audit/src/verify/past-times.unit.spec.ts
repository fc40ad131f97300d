import { expect, it } from 'vitest';
import type { FoldedAppend } from '#libs/cluster-state';
import { PastTimes } from './past-times';

const frame = (position: number, time: number, stream = 'local.pods-default/a'): FoldedAppend =>
  ({ position, time, stream }) as unknown as FoldedAppend;

it('past times are those at each position, as far back as any append looks', () => {
  const times = new PastTimes(320);
  for (let i = 1; i <= 10_000; i++) times.folded(frame(16 * i, 1_000 * i));
  for (const back of [0, 16, 160, 320]) expect(times.at(160_000 - back)).toBe((160_000 - back) * 62.5);
  expect(times.at(16)).toBeUndefined();
});

it('who leaves streams out is not held to their times', () => {
  const [all, some] = [new PastTimes(), new PastTimes(Infinity, ['local.nodes-'])];
  for (const times of [all, some]) {
    times.folded(frame(16, 1_000));
    times.folded(frame(32, 9_000, 'local.nodes-node-1'));
    times.folded(frame(48, 2_000));
  }
  expect([16, 32, 48].map((position) => all.at(position))).toEqual([1_000, 9_000, 9_000]);
  expect([8, 16, 32, 48].map((position) => some.at(position))).toEqual([undefined, 1_000, 1_000, 2_000]);
});
