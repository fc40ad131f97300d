import type { VersionedChange } from '#libs/cluster-state';
import { describe, expect, it } from 'vitest';
import { ResourceFeed } from './resource-feed';

const change = (position: number): VersionedChange => ({ position }) as VersionedChange;

function feedOf(): {
  feed: ResourceFeed;
  run: () => void;
  put: (...positions: number[]) => void;
  heard: () => (by: number[][]) => () => void;
} {
  const due: (() => void)[] = [];
  const feed = new ResourceFeed('pods', 0, undefined, (handOver) => due.push(handOver));
  return {
    feed,
    run: () => due.splice(0).forEach((handOver) => handOver()),
    put: (...positions) => {
      for (const position of positions) feed.push(change(position));
      feed.flush();
    },
    heard: () => (by) => feed.listen((changes) => by.push(changes.map(({ position }) => position))),
  };
}

describe('a feed', () => {
  it('hands over together what comes in one moment', () => {
    const { put, run, heard } = feedOf();
    const first: number[][] = [];
    heard()(first);
    put(1);
    put(2, 3);
    expect(first).toEqual([]);
    run();
    put(4);
    run();
    expect(first).toEqual([[1, 2, 3], [4]]);
  });

  it('tells who begins to listen nothing of before, and leaves out nobody who listened', () => {
    const { put, run, heard } = feedOf();
    const [first, second]: number[][][] = [[], []];
    heard()(first as number[][]);
    put(1);
    heard()(second as number[][]);
    expect([first, second]).toEqual([[[1]], []]);
    put(2);
    run();
    expect([first, second]).toEqual([[[1], [2]], [[2]]]);
  });

  it('hands over at once when much waits', () => {
    const { put, run, heard } = feedOf();
    const first: number[][] = [];
    heard()(first);
    put(...Array.from({ length: 1_000 }, (_, i) => i + 1));
    run();
    expect(first.map(({ length }) => length)).toEqual([1_000]);
  });
});
