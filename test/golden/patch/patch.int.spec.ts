import { expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import known from './known-differences.json';
import { playPatches } from './main';

const folder = goldenFolder('patch');

it.skipIf(!folder)(
  'recorded patches agree, but for those that are known not to',
  async () => {
    const results = await playPatches(folder as string, [], { values: {} });
    const steps = results.flatMap((result) => result.steps);
    const failed = steps.filter(({ differences }) => differences.length > 0);
    expect(failed.map(({ step }) => step).toSorted()).toEqual(known);
    expect(steps.length).toBeGreaterThan(1_400);
  },
  120_000,
);
