import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { claimProtection } from './claim-protection';
import { attributesClassProtection, volumeProtection } from './volume-protection';

async function world(): Promise<Simulation> {
  const controllers = [
    reconcilerController(claimProtection),
    reconcilerController(volumeProtection),
    reconcilerController(attributesClassProtection),
  ] as unknown as Controller[];
  const cluster = await clusterWorld(controllers);
  await makeNamespace(cluster, 'web');
  return cluster;
}

const claim = (name: string): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeAttributesClassName: 'fast' },
});

const volume = (name: string): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
});

const podWith = (claimName: string, nodeName?: string): JsonObject => ({
  metadata: { name: 'user' },
  spec: { nodeName, containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }] },
});

const remove = (cluster: Simulation, resource: string, namespace: string | undefined, name: string, options: object = {}) =>
  cluster.send({ verb: 'delete', target: { resource, namespace, name }, options });

describe('a claim that is to go', () => {
  it('goes at once where no pod uses it', async () => {
    const cluster = await world();
    await cluster.create('persistentvolumeclaims', 'web', claim('data'));
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')?.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await remove(cluster, 'persistentvolumeclaims', 'web', 'data');
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')).toBeUndefined();
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('stays until the last pod that is bound to a node and uses it is gone, also when the controller restarts between', async () => {
    const cluster = await world();
    await cluster.create('persistentvolumeclaims', 'web', claim('data'));
    await cluster.create('pods', 'web', podWith('data', 'a'));
    await remove(cluster, 'persistentvolumeclaims', 'web', 'data');
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')?.metadata.deletionTimestamp).toBeDefined();
    await cluster.restart();
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')).toBeDefined();
    await remove(cluster, 'pods', 'web', 'user', { gracePeriodSeconds: 0 });
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')).toBeUndefined();
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('is not kept by a pod that still waits for a node, nor by one that uses another claim', async () => {
    const cluster = await world();
    await cluster.create('persistentvolumeclaims', 'web', claim('data'));
    await cluster.create('pods', 'web', podWith('data'));
    await cluster.create('pods', 'web', { ...podWith('other', 'a'), metadata: { name: 'other' } });
    await remove(cluster, 'persistentvolumeclaims', 'web', 'data');
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')).toBeUndefined();
  });

  it('keeps the finalizers of others', async () => {
    const cluster = await world();
    await cluster.create('persistentvolumeclaims', 'web', {
      ...claim('data'),
      metadata: { name: 'data', finalizers: ['example.com/mine'] },
    });
    await remove(cluster, 'persistentvolumeclaims', 'web', 'data');
    expect(cluster.get('persistentvolumeclaims', 'web', 'data')?.metadata.finalizers).toEqual(['example.com/mine']);
  });
});

describe('a volume that is to go', () => {
  it('goes once it is not bound any more', async () => {
    const cluster = await world();
    await cluster.create('persistentvolumes', undefined, volume('disk'));
    const target = { resource: 'persistentvolumes', name: 'disk' } as const;
    const setPhase = async (phase: string): Promise<void> => {
      const stored = cluster.get('persistentvolumes', undefined, 'disk') as KubeObject;
      await cluster.send({ verb: 'update', target, subresource: 'status', object: { ...stored, status: { phase } } });
    };
    await setPhase('Bound');
    await remove(cluster, 'persistentvolumes', undefined, 'disk');
    expect(cluster.get('persistentvolumes', undefined, 'disk')?.metadata.deletionTimestamp).toBeDefined();
    await setPhase('Released');
    expect(cluster.get('persistentvolumes', undefined, 'disk')).toBeUndefined();
  });
});

describe('a class of volume attributes that is to go', () => {
  it('goes once no claim names it any more', async () => {
    const cluster = await world();
    await cluster.create('volumeattributesclasses.storage.k8s.io', undefined, {
      metadata: { name: 'fast' },
      driverName: 'd.example',
      parameters: { iops: '10' },
    });
    await cluster.create('persistentvolumeclaims', 'web', claim('data'));
    await remove(cluster, 'volumeattributesclasses.storage.k8s.io', undefined, 'fast');
    expect(cluster.get('volumeattributesclasses.storage.k8s.io', undefined, 'fast')).toBeDefined();
    await remove(cluster, 'persistentvolumeclaims', 'web', 'data');
    expect(cluster.get('volumeattributesclasses.storage.k8s.io', undefined, 'fast')).toBeUndefined();
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });
});
