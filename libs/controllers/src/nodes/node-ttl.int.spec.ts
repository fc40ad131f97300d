import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld } from '../cluster-world.fixture';
import { nodeTtl } from './node-ttl';

const annotation = 'node.alpha.kubernetes.io/ttl';

async function world(): Promise<Simulation> {
  const cluster = await clusterWorld([reconcilerController(nodeTtl) as Controller]);
  await cluster.runtime.append('local.cluster-lifecycle', [[fact('ClusterCreated', { seed: 's', kubernetes: 'v1.34.4' })]], 'no_stream', {
    origin: { actor: 'apiserver', operation: 'bootstrap/cluster', correlationId: 'c' },
    label: '0',
    follows: undefined,
  });
  return cluster;
}

const node = (name: string, annotations?: Record<string, string>): JsonObject =>
  ({ metadata: { name, ...(annotations ? { annotations } : {}) } }) as JsonObject;

async function add(cluster: Simulation, count: number, from = 0): Promise<void> {
  for (let index = from; index < from + count; index++) await cluster.create('nodes', undefined, node(`n-${index}`));
  await cluster.run(1_000);
}

const told = (cluster: Simulation, name: string): string | undefined =>
  cluster.get('nodes', undefined, name)?.metadata.annotations?.[annotation];

async function touch(cluster: Simulation, name: string, count: number): Promise<void> {
  const patch = { metadata: { labels: { count: String(count) } } };
  await cluster.write({ verb: 'patch', target: { resource: 'nodes', name }, patchType: 'merge', patch });
  await cluster.run(1_000);
}

describe('how long kubelets may keep what they have read', () => {
  it('is told on each node', async () => {
    const cluster = await world();
    await add(cluster, 2);
    expect([told(cluster, 'n-0'), told(cluster, 'n-1')]).toEqual(['0', '0']);
    expect((await cluster.verify()).findings).toEqual([]);
  });

  it('replaces what is no number, or another one, and leaves what says the same', async () => {
    const cluster = await world();
    for (const [name, text] of [
      ['a', 'x'],
      ['b', '7'],
      ['c', '+0'],
    ] as const)
      await cluster.create('nodes', undefined, node(name, { [annotation]: text }));
    await cluster.run(1_000);
    expect(['a', 'b', 'c'].map((name) => told(cluster, name))).toEqual(['0', '0', '+0']);
  });

  it('grows with the cluster, and shrinks with less than it grew with; a node learns of it when it changes', async () => {
    const cluster = await world();
    await add(cluster, 101);
    expect(told(cluster, 'n-100')).toBe('15');
    expect(told(cluster, 'n-0')).toBe('0');
    await touch(cluster, 'n-0', 1);
    expect(told(cluster, 'n-0')).toBe('15');
    for (let index = 100; index > 89; index--) await cluster.write({ verb: 'delete', target: { resource: 'nodes', name: `n-${index}` } });
    await touch(cluster, 'n-0', 2);
    expect(told(cluster, 'n-0')).toBe('15');
    await cluster.write({ verb: 'delete', target: { resource: 'nodes', name: 'n-89' } });
    await touch(cluster, 'n-0', 3);
    expect(told(cluster, 'n-0')).toBe('0');
    expect((await cluster.verify()).findings).toEqual([]);
  });

  it('is told anew to all after a restart', async () => {
    const cluster = await world();
    await add(cluster, 101);
    await cluster.restart();
    await cluster.run(1_000);
    expect(told(cluster, 'n-0')).toBe('15');
  });
});
