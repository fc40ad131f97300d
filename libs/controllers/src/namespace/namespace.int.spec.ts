import { describe, expect, it } from 'vitest';
import type { AppOptions } from '#libs/app-shell';
import type { KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld } from '../cluster-world.fixture';
import { controllerManagerControllers } from '../controller-manager';

const options: AppOptions = {
  cluster: 'local',
  seed: 's',
  apiserver: { ca: 'PEM', host: '', port: 0, certificate: '', privateKey: '', token: '' },
  controllerManager: { nodes: { count: 4, cpu: '4', memory: '8Gi', pods: 110 } },
};

async function world(): Promise<Simulation> {
  const cluster = await clusterWorld(controllerManagerControllers(options));
  await cluster.create('namespaces', undefined, { metadata: { name: 'web' } });
  return cluster;
}

const condition = (namespace: KubeObject | undefined, type: string): KubeObject | undefined =>
  (namespace?.status.conditions as KubeObject[] | undefined)?.find((found) => found.type === type);

describe('a namespace', () => {
  it('has its account and its CA bundle, and gets them back', async () => {
    const cluster = await world();
    expect(cluster.get('configmaps', 'web', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' });
    for (const [resource, name] of [
      ['serviceaccounts', 'default'],
      ['configmaps', 'kube-root-ca.crt'],
    ] as const) {
      const uid = cluster.get(resource, 'web', name)?.metadata.uid;
      await cluster.send({ verb: 'delete', target: { resource, namespace: 'web', name } });
      expect(cluster.get(resource, 'web', name)?.metadata.uid).not.toBe(uid);
      expect(cluster.get(resource, 'web', name)).toBeDefined();
    }
    await cluster.patch('configmaps', 'web', 'kube-root-ca.crt', { data: { x: 'y' } });
    expect(cluster.get('configmaps', 'web', 'kube-root-ca.crt')?.data).toEqual({ 'ca.crt': 'PEM' });
  });

  it('is emptied five seconds after its deletion was asked for, and is gone', async () => {
    const cluster = await world();
    await cluster.create('configmaps', 'web', { metadata: { name: 'settings' } });
    await cluster.send({ verb: 'delete', target: { resource: 'namespaces', name: 'web' } });
    await cluster.run(4_000);
    expect(cluster.get('configmaps', 'web', 'settings')).toBeDefined();
    await cluster.run(2_000);
    expect(cluster.get('namespaces', undefined, 'web')).toBeUndefined();
    expect(cluster.list('configmaps', 'web')).toEqual([]);
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('says what holds it up', async () => {
    const cluster = await world();
    await cluster.create('configmaps', 'web', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
    await cluster.send({ verb: 'delete', target: { resource: 'namespaces', name: 'web' } });
    await cluster.run(6_000);
    const namespace = cluster.get('namespaces', undefined, 'web');
    expect(condition(namespace, 'NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances',
    });
    expect(condition(namespace, 'NamespaceFinalizersRemaining')?.message).toBe(
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    );
    await cluster.patch('configmaps', 'web', 'held', { metadata: { finalizers: null } });
    await cluster.run(10_000);
    expect(cluster.get('namespaces', undefined, 'web')).toBeUndefined();
  });

  it('lets its pods go first', async () => {
    const cluster = await world();
    await cluster.create('configmaps', 'web', { metadata: { name: 'settings' } });
    await cluster.create('pods', 'web', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app:1' }] } });
    await cluster.send({ verb: 'bind', target: { resource: 'pods', namespace: 'web', name: 'p' }, node: 'node-1' });
    await cluster.send({ verb: 'delete', target: { resource: 'namespaces', name: 'web' } });
    await cluster.run(6_000);
    expect(cluster.get('pods', 'web', 'p')?.metadata.deletionTimestamp).toBeDefined();
    expect(cluster.get('configmaps', 'web', 'settings')).toBeDefined();
    await cluster.send({ verb: 'delete', target: { resource: 'pods', namespace: 'web', name: 'p' }, options: { gracePeriodSeconds: 0 } });
    await cluster.run(20_000);
    expect(cluster.get('namespaces', undefined, 'web')).toBeUndefined();
  });
});

describe('nodes of a new cluster', () => {
  it('are there from the start, a zone each in turn, and not made again', async () => {
    const cluster = await world();
    const zones = cluster.list('nodes').map(({ metadata }) => [metadata.name, metadata.labels?.['topology.kubernetes.io/zone']]);
    expect(zones).toEqual([
      ['node-1', 'zone-a'],
      ['node-2', 'zone-b'],
      ['node-3', 'zone-c'],
      ['node-4', 'zone-a'],
    ]);
    expect(cluster.get('nodes', undefined, 'node-1')?.status.capacity).toEqual({ cpu: '4', memory: '8Gi', pods: '110' });
    await cluster.send({ verb: 'delete', target: { resource: 'nodes', name: 'node-2' } });
    expect(cluster.get('nodes', undefined, 'node-2')).toBeUndefined();
  });
});

describe('pods on a node that has vanished', () => {
  it('fail and go after a while', async () => {
    const cluster = await world();
    await cluster.create('pods', 'web', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'app:1' }] } });
    await cluster.send({ verb: 'bind', target: { resource: 'pods', namespace: 'web', name: 'p' }, node: 'node-3' });
    await cluster.send({ verb: 'delete', target: { resource: 'nodes', name: 'node-3' } });
    await cluster.run(39_000);
    expect(cluster.get('pods', 'web', 'p')).toBeDefined();
    await cluster.run(2_000);
    expect(cluster.get('pods', 'web', 'p')).toBeUndefined();
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('ends unscheduled pods whose deletion a finalizer holds up', async () => {
    const cluster = await world();
    await cluster.create('pods', 'web', {
      metadata: { name: 'p', finalizers: ['example.com/x'] },
      spec: { containers: [{ name: 'c', image: 'app:1' }] },
    });
    await cluster.send({ verb: 'delete', target: { resource: 'pods', namespace: 'web', name: 'p' } });
    await cluster.run(21_000);
    expect(cluster.get('pods', 'web', 'p')?.status.phase).toBe('Failed');
  });
});
