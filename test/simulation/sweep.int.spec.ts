import { describe, expect, it } from 'vitest';
import { OneProcessLife } from './one-process-life.fixture';
import { SplitLife } from './split-life.fixture';
import { SweptMutants } from './swept-mutants.fixture';

/** As many as take some 15 s of processor time; `npm run sweep -- --seeds 1000` takes more. */
const seeds = Array.from({ length: 12 }, (_, index) => String(index));
/** Seeds of lives full of what kubelets have to deal with: fewer, for every one is left alone for long at its end. */
const podSeeds = ['0', '1', '12'];
/** Seeds that showed something once: what was wrong is told. */
const found = {
  '515': 'a reviewer that was away for long has answered',
};
const places = 2;
const mutants = 2;

describe.each([
  ['one process', OneProcessLife],
  ['several processes', SplitLife],
] as const)('a log that was written over failing lines by %s, killed and started again', (_what, Life) => {
  it.each([...seeds, ...Object.keys(found)])(
    'is clean at its end and on the way, and shows what was done to it (seed %s)',
    async (seed) => {
      const life = new Life(seed);
      const findings = [...(await life.findings()), ...(await life.findingsOnTheWay(places))];
      expect({ told: life.told, findings }).toEqual({ told: life.told, findings: [] });
      const swept = new SweptMutants(await life.stored(), seed);
      await swept.make(mutants);
      expect({ told: life.told, survivors: swept.survivors }).toEqual({ told: life.told, survivors: [] });
      expect(swept.made).toBe(mutants);
    },
  );

  it.each(podSeeds)('is clean where containers and nodes fail; no pod says what cannot be, and none is stuck (seed %s)', async (seed) => {
    const life = new Life(seed, 'pods');
    const findings = await life.findings();
    expect({ told: life.told, findings }).toEqual({ told: life.told, findings: [] });
  });
});
