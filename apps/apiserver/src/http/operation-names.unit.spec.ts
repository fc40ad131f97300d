import { expect, it } from 'vitest';
import { newOperation } from './operation-names';

it('names every operation otherwise, also beyond those that are drawn at once', () => {
  const names = Array.from({ length: 2_000 }, newOperation);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[\w-]{22}$/);
});
