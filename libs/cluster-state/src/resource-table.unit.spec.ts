import type { KubeObject } from '#libs/kernel';
import { describe, expect, it } from 'vitest';
import { ResourceTable } from './resource-table';

const object = (name: string, tier?: string): KubeObject =>
  ({
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace: 'a', ...(tier === undefined ? {} : { labels: { tier } }) },
  }) as KubeObject;
const tierOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.['tier'];

/** The same numbers each time, from 0 to below a limit. */
function numbers(): (limit: number) => number {
  let seed = 1;
  return (limit) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
}

describe('a table', () => {
  it('gives keys in order and by value as if it had looked at every object, whatever comes and goes', () => {
    const table = new ResourceTable('pods');
    const next = numbers();
    for (let round = 0; round < 400; round++) {
      for (let i = next(round % 50 === 0 ? 200 : 5); i >= 0; i--) {
        const name = `p${next(120)}`;
        if (next(3) === 0) table.delete(`a/${name}`);
        else table.set(`a/${name}`, object(name, next(4) === 0 ? undefined : `t${next(5)}`));
      }
      const sorted = [...table.objects.keys()].sort();
      expect(table.keys()).toEqual(sorted);
      const tier = `t${next(6)}`;
      const found = table.keysWith('tier', tierOf, tier);
      if (round > 0) expect(found).toEqual(sorted.filter((key) => tierOf(table.get(key) as KubeObject) === tier));
    }
  });

  it('is not indexed when it is asked once', () => {
    const table = new ResourceTable('pods');
    table.set('a/x', object('x', 'gold'));
    expect(table.keysWith('tier', tierOf, 'gold')).toBeUndefined();
    expect(table.keysWith('tier', tierOf, 'gold')).toEqual(['a/x']);
    expect(table.keysWith('tier', tierOf, 'silver')).toEqual([]);
  });

  it('leaves a list of keys that somebody walks through as it is', () => {
    const table = new ResourceTable('pods');
    for (const name of ['a', 'b', 'c']) table.set(`a/${name}`, object(name));
    const before = table.keys();
    table.delete('a/b');
    table.set('a/bb', object('bb'));
    expect([before, table.keys()]).toEqual([
      ['a/a', 'a/b', 'a/c'],
      ['a/a', 'a/bb', 'a/c'],
    ]);
  });
});
