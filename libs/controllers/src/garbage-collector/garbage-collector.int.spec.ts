import { describe, expect, it } from 'vitest';
import type { AppOptions } from '#libs/app-shell';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { controllerManagerControllers } from '../controller-manager';

const options: AppOptions = { cluster: 'local', seed: 's' };

class Family {
  private constructor(readonly cluster: Simulation) {}

  static async of(): Promise<Family> {
    const cluster = await clusterWorld(controllerManagerControllers(options));
    await makeNamespace(cluster, 'web');
    return new Family(cluster);
  }

  /** A ConfigMap owned by others; `!` before an owner's name: it blocks that owner's deletion. */
  async add(name: string, ...owners: string[]): Promise<KubeObject> {
    const ownerReferences = owners.map((text): JsonObject => {
      const owner = text.replace('!', '');
      const uid = this.cluster.get('configmaps', 'web', owner)?.metadata.uid as string;
      return { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, ...(text.startsWith('!') ? { blockOwnerDeletion: true } : {}) };
    });
    return this.cluster.create('configmaps', 'web', { metadata: { name, ...(owners.length > 0 ? { ownerReferences } : {}) } });
  }

  async remove(name: string, propagationPolicy?: 'Foreground' | 'Background' | 'Orphan'): Promise<void> {
    await this.cluster.send({ verb: 'delete', target: { resource: 'configmaps', namespace: 'web', name }, options: { propagationPolicy } });
  }

  get names(): string[] {
    return this.cluster.list('configmaps', 'web').map(({ metadata }) => metadata.name);
  }
}

describe('garbage collection', () => {
  it('takes dependents after their owner, and theirs after them', async () => {
    const family = await Family.of();
    await family.add('owner');
    await family.add('child', 'owner');
    await family.add('grandchild', 'child');
    await family.remove('owner', 'Background');
    expect(family.names).toEqual([]);
    expect(await family.cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('waits in the foreground for those that block', async () => {
    const family = await Family.of();
    await family.add('owner');
    await family.add('child', '!owner');
    await family.cluster.patch('configmaps', 'web', 'child', { metadata: { finalizers: ['example.com/hold'] } });
    await family.remove('owner', 'Foreground');
    expect(family.names).toEqual(['child', 'owner']);
    await family.cluster.patch('configmaps', 'web', 'child', { metadata: { finalizers: null } });
    expect(family.names).toEqual([]);
  });

  it('lets dependents go when their owner leaves them', async () => {
    const family = await Family.of();
    await family.add('owner');
    await family.add('child', 'owner');
    await family.remove('owner', 'Orphan');
    expect(family.names).toEqual(['child']);
    expect(family.cluster.get('configmaps', 'web', 'child')?.metadata.ownerReferences).toBeUndefined();
  });

  it('keeps what has another owner left, and drops the reference to the dead one', async () => {
    const family = await Family.of();
    await family.add('a');
    await family.add('b');
    await family.add('both', 'a', 'b');
    await family.remove('a');
    expect(family.cluster.get('configmaps', 'web', 'both')?.metadata.ownerReferences).toMatchObject([{ name: 'b' }]);
    await family.remove('b');
    expect(family.names).toEqual([]);
  });

  it('opens circles', async () => {
    const family = await Family.of();
    await family.add('x');
    const y = await family.add('y', '!x');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: y.metadata.uid, blockOwnerDeletion: true };
    await family.cluster.patch('configmaps', 'web', 'x', { metadata: { ownerReferences: [reference] } });
    await family.remove('x', 'Foreground');
    expect(family.names).toEqual([]);
  });

  it('deletes what claims an owner that is not there, but not what names a kind that nobody knows', async () => {
    const family = await Family.of();
    const lost = { apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'u1' };
    await family.cluster.create('configmaps', 'web', { metadata: { name: 'lost', ownerReferences: [lost] } });
    const unknown = { apiVersion: 'nope.example/v1', kind: 'Nope', name: 'x', uid: 'u2' };
    await family.cluster.create('configmaps', 'web', { metadata: { name: 'odd', ownerReferences: [unknown] } });
    expect(family.names).toEqual(['odd']);
  });

  it('takes ReplicaSets and pods after their Deployment', async () => {
    const family = await Family.of();
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { app: 'web' } }, template };
    await family.cluster.create('deployments.apps', 'web', { metadata: { name: 'web' }, spec });
    expect(family.cluster.list('pods', 'web')).toHaveLength(3);
    const target = { resource: 'deployments.apps', namespace: 'web', name: 'web' };
    await family.cluster.send({ verb: 'delete', target, options: { propagationPolicy: 'Background' } });
    for (const resource of ['deployments.apps', 'replicasets.apps', 'pods']) expect(family.cluster.list(resource, 'web')).toEqual([]);
    expect(await family.cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });
});
