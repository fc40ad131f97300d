import { expect, it } from 'vitest';
import { playWatchers } from './run';

it('tells every watcher everything, once and in order, however it comes and goes', async () => {
  const { operations, frames, openings } = await playWatchers({ operations: 1_500, watchers: 50, seed: 20_261_121 });
  expect(operations).toBeGreaterThanOrEqual(1_500);
  expect(frames).toBeGreaterThan(10_000);
  expect(openings).toBeGreaterThan(200);
}, 120_000);
