import { expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { playDefinitions } from './main';

const folder = goldenFolder('crd');

it.skipIf(!folder)('every fourth recorded definition is accepted, refused and established as recorded', { timeout: 120_000 }, async () => {
  const results = await playDefinitions(folder as string, [], { values: { every: '4' } });
  const differing = results.flatMap(({ steps }) => steps.filter(({ differences }) => differences.length > 0));
  expect(differing).toEqual([]);
  expect(results.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThan(100);
});
