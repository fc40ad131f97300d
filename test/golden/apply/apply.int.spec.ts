import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectProven } from '../../proven.fixture';
import { goldenFolder } from '../golden-folder';
import differences from './known-differences.json';
import { isWhatTheLogMakes } from './log-of-applies';
import { playApplies } from './main';

const folder = goldenFolder('apply');
/** Steps that are known to differ: `apply-service-006/2`. One that agrees by now is taken off the list. */
const known: readonly string[] = differences;
/** One sequence in so many; all of them: `npm run golden -- apply`. */
const every = '9';

it.skipIf(!folder)(
  'recorded applies agree, step by step; what was answered is what the log makes of it, and the log is proven',
  async () => {
    const results = await playApplies(folder as string, [], { values: { every } }, async (api, log) => {
      await isWhatTheLogMakes(api, log);
      await expectProven(log);
    });
    const steps = results.flatMap((result) => result.steps);
    const failed = steps.filter(({ differences, step }) => differences.length > 0 && !known.includes(String(step)));
    expect(failed.map(({ step, differences }) => `${step}: ${differences[0]?.path} ${differences[0]?.text}`)).toEqual([]);
    const agreed = steps.filter(({ step, differences }) => differences.length === 0 && known.includes(String(step)));
    expect(agreed.map(({ step }) => step)).toEqual([]);
    expect(steps.length).toBeGreaterThan(200);
  },
  120_000,
);

it.each([
  [
    'writes through several versions and groups of a kind agree, and so do those that send empty lists',
    'versions',
    'autoscaling/v2/horizontalpodautoscalers',
  ],
  ['writes through subresources agree, and so do those that cannot be converted', 'subresources', 'apps/v1/replicasets'],
])(
  '%s',
  async (_, recorded, kind) => {
    const results = await playApplies(join(__dirname, recorded), [], { values: {} }, async (api, log) => {
      await isWhatTheLogMakes(api, log, `/apis/${kind}`);
      await expectProven(log);
    });
    const steps = results.flatMap((result) => result.steps);
    const failed = steps.filter(({ differences }) => differences.length > 0);
    expect(failed.map(({ step, differences }) => `${step}: ${differences[0]?.path} ${differences[0]?.text}`)).toEqual([]);
    expect(steps.length).toBeGreaterThan(25);
  },
  60_000,
);
