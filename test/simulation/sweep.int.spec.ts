import { describe, expect, it } from 'vitest';
import { OneProcessLife } from './one-process-life.fixture';
import { SplitLife } from './split-life.fixture';

/** As many as take a few seconds; `npm run sweep -- --seeds 1000` takes more. */
const seeds = Array.from({ length: 6 }, (_, index) => String(index));

describe('a log that was written over a failing line, by processes that were killed and started again', () => {
  it.each(seeds)('is a clean one (seed %s)', async (seed) => {
    for (const life of [new OneProcessLife(seed), new SplitLife(seed)]) {
      const findings = await life.findings();
      expect({ told: life.told, findings }).toEqual({ told: life.told, findings: [] });
    }
  });
});
