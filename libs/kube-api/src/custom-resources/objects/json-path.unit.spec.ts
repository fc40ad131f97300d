import { expect, it } from 'vitest';
import { jsonPath } from './json-path';

const object = {
  spec: { size: 3, 'a.b': 'dotted', list: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

it.each([
  ['.spec.size', [3]],
  ['.spec.none', []],
  ['.spec.none.deeper', []],
  ['.spec.size.deeper', []],
  ["['spec']['a.b']", ['dotted']],
  ['.spec.a\\.b', ['dotted']],
  ['.spec.list[0].n', [1]],
  ['.spec.list[-1].n', [3]],
  ['.spec.list[1:].n', [2, 3]],
  ['.spec.list[*].n', [1, 2, 3]],
  ['.spec.list[?(@.n>1)].n', [2, 3]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['..n', [1, 2, 3]],
])('%s finds what stands there', (path, values) => {
  expect(jsonPath(path)?.(object)).toEqual(values);
});

it('does not follow what leads nowhere', () => {
  expect(jsonPath('.spec.list[7]')?.(object)).toBeUndefined();
  expect(jsonPath('.spec[')).toBeUndefined();
});
