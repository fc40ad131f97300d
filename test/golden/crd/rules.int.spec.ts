import { expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { playRules } from './main';

const folder = goldenFolder('crd');

it.skipIf(!folder)('recorded rules compile, cost and decide as recorded', { timeout: 120_000 }, () => {
  const results = playRules(folder as string, [], { values: {} });
  const differing = results.flatMap(({ steps }) => steps.filter(({ differences }) => differences.length > 0).map(({ step }) => step));
  expect(differing).toEqual([]);
  expect(results.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThan(1_000);
});
