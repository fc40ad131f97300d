import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyedHeap } from './heap';

interface Item {
  key: string;
  rank: number;
}

const anyStep = fc.oneof(
  fc.record({ do: fc.constant('set' as const), key: fc.constantFrom(...'abcdefgh'), rank: fc.nat(9) }),
  fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom(...'abcdefgh') }),
  fc.record({ do: fc.constant('pop' as const) }),
);

const newHeap = (): KeyedHeap<Item> =>
  new KeyedHeap<Item>(
    ({ key }) => key,
    (a, b) => a.rank < b.rank,
  );

describe('a heap with keys', () => {
  it('holds what a map holds, and gives a least one first, whatever was set, replaced, removed and taken before', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const heap = newHeap();
        const model = new Map<string, Item>();
        for (const step of steps) {
          if (step.do === 'set') {
            const item = { key: step.key, rank: step.rank };
            heap.set(item);
            model.set(step.key, item);
          } else if (step.do === 'delete') {
            expect(heap.delete(step.key)).toBe(model.get(step.key));
            model.delete(step.key);
          } else {
            const head = heap.peek();
            expect(heap.pop()).toBe(head);
            if (head) model.delete(head.key);
          }
          expect(heap.size).toBe(model.size);
          for (const key of 'abcdefgh') {
            expect(heap.get(key)).toBe(model.get(key));
            expect(heap.has(key)).toBe(model.has(key));
          }
          const ranks = [...model.values()].map(({ rank }) => rank);
          expect(heap.peek()?.rank).toBe(ranks.length === 0 ? undefined : Math.min(...ranks));
          expect(new Set(heap.values())).toEqual(new Set(model.values()));
        }
      }),
    );
  });

  it('restores the order when the item of a key has changed', () => {
    const heap = newHeap();
    const items = [5, 3, 8, 1].map((rank) => ({ key: `k${rank}`, rank }));
    for (const item of items) heap.set(item);
    const [five] = items as [Item];
    five.rank = 0;
    heap.set(five);
    expect(heap.peek()).toBe(five);
    five.rank = 9;
    heap.set(five);
    expect([heap.pop(), heap.pop(), heap.pop(), heap.pop(), heap.pop()].map((item) => item?.key)).toEqual([
      'k1',
      'k3',
      'k8',
      'k5',
      undefined,
    ]);
  });
});
