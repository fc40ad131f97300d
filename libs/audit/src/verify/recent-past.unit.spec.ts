import { expect, it } from 'vitest';
import { ClusterState, type FoldedAppend } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { LongestLag } from './longest-lag';
import { RecentPast } from './recent-past';

const nodeOf = (version: number): KubeObject => ({ metadata: { name: 'n', resourceVersion: String(version) } }) as unknown as KubeObject;

/** A node that is changed at positions 16, 32, 48 …, and what a past of so many positions makes of it. */
function pastOf(changes: number, lag?: number): { past: RecentPast; cluster: ClusterState } {
  const past = new RecentPast(lag);
  const cluster = new ClusterState('local');
  for (let i = 1; i <= changes; i++) {
    const before = cluster.get('nodes', undefined, 'n');
    const object = nodeOf(16 * i);
    cluster.restore('nodes', '/n', object);
    const change = { type: 'MODIFIED', resource: 'nodes', namespace: '', name: 'n', key: '/n', before, object };
    past.folded({ position: 16 * i, time: 1_000 * i, stream: 's', events: [], change } as unknown as FoldedAppend);
  }
  return { past, cluster };
}

it('the recent past shows an object as it was, as far back as any append looks', () => {
  const { past, cluster } = pastOf(10_000, 320);
  const end = 160_000;
  for (const back of [0, 16, 160, 320]) {
    expect(past.at(end - back, cluster)?.get('nodes', undefined, 'n')?.metadata.resourceVersion).toBe(String(end - back));
  }
  // What is older is let go of, and nothing else is taken for it.
  expect(past.at(16, cluster)).toBeUndefined();
});

it('the recent past of a log in which nothing was prepared earlier keeps next to nothing', () => {
  const { past, cluster } = pastOf(10_000, 0);
  expect(past.at(160_000, cluster)).toBe(cluster);
});

it('the longest lag of a log is that of the append that rests on the most distant position', () => {
  const lag = new LongestLag();
  const add = (position: number, metadata: object): void => lag.add({ position, metadata } as never);
  add(160, { i: 1, at: 144 });
  add(320, { i: 1, at: 304, basis: { position: 96 } });
  add(336, { i: 2, at: 0 });
  add(352, { i: 1 });
  expect(lag.longest).toBe(224);
});
