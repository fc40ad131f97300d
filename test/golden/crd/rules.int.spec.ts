import { expect, it } from 'vitest';
import { goldenFolder } from '../golden-folder';
import { playDefinitions } from './main';

const folder = goldenFolder('crd');

/** Two constructions of protobuf messages, and the second error of one text that cannot be parsed. */
const known = ['cel-numbers-0822', 'cel-numbers-0823', 'cel-maps-1690'];

it.skipIf(!folder)('recorded rules compile, cost and decide as recorded, but for three', { timeout: 120_000 }, async () => {
  const results = await playDefinitions(folder as string, [], { values: {} });
  const differing = results.flatMap(({ steps }) => steps.filter(({ differences }) => differences.length > 0).map(({ step }) => step));
  expect(differing).toEqual(known);
  expect(results.reduce((sum, { total }) => sum + total, 0)).toBeGreaterThan(1_000);
});
