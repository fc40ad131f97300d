import { describe, expect, it } from 'vitest';
import { CommittedTail } from './committed-tail';
import { GenerationCache } from '#libs/kernel';
import type { StoredEvent } from './stored-event';

const stored = (n: number): StoredEvent<number> => ({
  id: String(n),
  type: 'T',
  data: n,
  metadata: 0,
  stream: 's',
  revision: n,
  position: n * 16,
  created: 0,
});

describe('a generation cache', () => {
  it('keeps what is used, forgets what is not, and stays bounded', () => {
    const cache = new GenerationCache<number, string>(10);
    for (let i = 0; i < 100; i++) {
      cache.set(i, `v${i}`);
      expect(cache.get(0)).toBe('v0');
    }
    expect(cache.get(99)).toBe('v99');
    expect(cache.get(50)).toBeUndefined();
    expect(Array.from({ length: 100 }, (_, i) => cache.get(i)).filter(Boolean).length).toBeLessThanOrEqual(20);
    cache.delete(0);
    expect(cache.get(0)).toBeUndefined();
  });
});

describe('the tail of what was committed', () => {
  it('answers from where it is complete, and says when it is not', () => {
    const tail = new CommittedTail<number>(16);
    tail.push([stored(2), stored(3), stored(4)], 300);
    expect(tail.after(0, 10)).toBeUndefined();
    expect(tail.after(16, 10)!.map(({ data }) => data)).toEqual([2, 3, 4]);
    expect(tail.after(40, 1)!.map(({ data }) => data)).toEqual([3]);
    expect(tail.after(64, 10)).toEqual([]);
  });

  it('drops the oldest, by number and by size', () => {
    const many = new CommittedTail<number>(0);
    for (let i = 1; i <= 10_000; i++) many.push([stored(i)], 10);
    expect(many.after(0, 1)).toBeUndefined();
    expect(many.after(9_990 * 16, 100)).toHaveLength(10);
    const large = new CommittedTail<number>(0);
    for (let i = 1; i <= 100; i++) large.push([stored(i)], 1_000_000);
    expect(large.after(50 * 16, 100)).toBeUndefined();
    expect(large.after(95 * 16, 100)!.map(({ data }) => data)).toEqual([96, 97, 98, 99, 100]);
  });
});
