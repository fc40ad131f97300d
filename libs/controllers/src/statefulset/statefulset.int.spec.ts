import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { controllerRevisions } from '../history/controller-revision';
import { claims } from './claims-of-pod';
import { statefulSets } from './identity';
import { statefulSetController } from './statefulset-controller';

async function world(spec: JsonObject = {}): Promise<Simulation> {
  const made = await clusterWorld([reconcilerController(statefulSetController) as Controller]);
  await makeNamespace(made, 'shop');
  await made.create(statefulSets, 'shop', statefulSet(spec));
  return made;
}

function statefulSet(spec: JsonObject): JsonObject {
  const template = templateOf('app:1');
  return {
    metadata: { name: 'db' },
    spec: { replicas: 3, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, template, ...spec },
  };
}

function templateOf(image: string): JsonObject {
  return { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'c', image }], terminationGracePeriodSeconds: 0 } };
}

const claimTemplate = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
};

const names = (cluster: Simulation): string[] => cluster.list('pods', 'shop').map(({ metadata }) => metadata.name);
const set = (cluster: Simulation): KubeObject => cluster.get(statefulSets, 'shop', 'db') as KubeObject;
const ready = (cluster: Simulation, pod: string): Promise<unknown> =>
  cluster.patch('pods', 'shop', pod, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }, 'status');

/** Every pod that is there, and that comes for it, becomes ready. */
async function allReady(cluster: Simulation): Promise<void> {
  for (let seen = -1; seen !== cluster.state.position;) {
    seen = cluster.state.position;
    for (const { metadata, status } of cluster.list('pods', 'shop')) if (status?.phase !== 'Running') await ready(cluster, metadata.name);
  }
}

async function isProven(cluster: Simulation): Promise<void> {
  expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
}

describe('a StatefulSet', () => {
  it('makes its pods one after the other, each once the one before is ready, and names them for others to find', async () => {
    const cluster = await world();
    expect(names(cluster)).toEqual(['db-0']);
    await ready(cluster, 'db-0');
    expect(names(cluster)).toEqual(['db-0', 'db-1']);
    await allReady(cluster);
    const [revision] = cluster.list(controllerRevisions, 'shop');
    expect(cluster.get('pods', 'shop', 'db-2')).toMatchObject({
      metadata: {
        labels: {
          'statefulset.kubernetes.io/pod-name': 'db-2',
          'apps.kubernetes.io/pod-index': '2',
          'controller-revision-hash': revision?.metadata.name,
        },
      },
      spec: { hostname: 'db-2', subdomain: 'db' },
    });
    expect(set(cluster).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    expect(await cluster.reports()).toContain('SuccessfulCreate: create Pod db-2 in StatefulSet db successful');
    await isProven(cluster);
  });

  it('lets go of the highest first when it is to have fewer, once those that stay are well', async () => {
    const cluster = await world();
    await allReady(cluster);
    await cluster.patch('pods', 'shop', 'db-0', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, 'status');
    await cluster.patch(statefulSets, 'shop', 'db', { spec: { replicas: 1 } });
    expect(names(cluster)).toEqual(['db-0', 'db-1', 'db-2']);
    await ready(cluster, 'db-0');
    expect(names(cluster)).toEqual(['db-0']);
    const gone = (await cluster.reports()).filter((text) => text.startsWith('SuccessfulDelete'));
    expect(gone).toEqual(['db-2', 'db-1'].map((pod) => `SuccessfulDelete: delete Pod ${pod} in StatefulSet db successful`));
    await isProven(cluster);
  });

  it('updates from the highest down to its partition, and goes back to a revision that it knows', async () => {
    const cluster = await world({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } });
    await allReady(cluster);
    await cluster.patch(statefulSets, 'shop', 'db', { spec: { template: templateOf('app:2') } });
    await allReady(cluster);
    const images = (): unknown[] => cluster.list('pods', 'shop').map((pod) => (pod.spec.containers as JsonObject[])[0]?.image);
    expect(images()).toEqual(['app:1', 'app:2', 'app:2']);
    expect(set(cluster).status).toMatchObject({ currentReplicas: 1, updatedReplicas: 2 });
    await cluster.patch(statefulSets, 'shop', 'db', { spec: { template: templateOf('app:1') } });
    await allReady(cluster);
    expect(images()).toEqual(['app:1', 'app:1', 'app:1']);
    expect(cluster.list(controllerRevisions, 'shop').map(({ revision }) => revision)).toEqual(expect.arrayContaining([2, 3]));
    expect(cluster.list(controllerRevisions, 'shop')).toHaveLength(2);
    await isProven(cluster);
  });

  it('makes all pods at once where they are Parallel, and starts to count where it is told to', async () => {
    const cluster = await world({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
    expect(names(cluster)).toEqual(['db-5', 'db-6', 'db-7']);
    await isProven(cluster);
  });

  it('makes a pod that has ended anew under its name', async () => {
    const cluster = await world({ replicas: 1 });
    const before = cluster.get('pods', 'shop', 'db-0')?.metadata.uid;
    await cluster.patch('pods', 'shop', 'db-0', { status: { phase: 'Failed' } }, 'status');
    expect(cluster.get('pods', 'shop', 'db-0')?.status?.phase).toBe('Pending');
    expect(cluster.get('pods', 'shop', 'db-0')?.metadata.uid).not.toBe(before);
    await isProven(cluster);
  });

  it('makes a pod anew only once the one before it is gone', async () => {
    const cluster = await world({ replicas: 1 });
    await cluster.create('nodes', undefined, { metadata: { name: 'n' } });
    await cluster.send({ verb: 'bind', target: { resource: 'pods', namespace: 'shop', name: 'db-0' }, node: 'n' });
    await cluster.delete('pods', 'shop', 'db-0', 30);
    await cluster.run(60_000);
    expect(cluster.get('pods', 'shop', 'db-0')?.metadata.deletionTimestamp).toBeDefined();
    await cluster.delete('pods', 'shop', 'db-0', 0);
    await cluster.run(1_000);
    expect(cluster.get('pods', 'shop', 'db-0')?.metadata.deletionTimestamp).toBeUndefined();
    await isProven(cluster);
  });

  it.each([
    ['Retain', []],
    ['Delete', [expect.objectContaining({ kind: 'Pod', name: 'db-2' })]],
  ])('gives each pod its claim, which a smaller set %ss', async (whenScaled, owners) => {
    const cluster = await world({
      volumeClaimTemplates: [claimTemplate],
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled },
    });
    await allReady(cluster);
    expect(cluster.list(claims, 'shop').map(({ metadata }) => metadata.name)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    expect(cluster.get('pods', 'shop', 'db-1')?.spec?.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-db-1' },
    });
    await cluster.patch(statefulSets, 'shop', 'db', { spec: { replicas: 2 } });
    expect(cluster.get(claims, 'shop', 'data-db-2')?.metadata.ownerReferences ?? []).toEqual(owners);
    await isProven(cluster);
  });

  it('keeps no more old revisions than it may', async () => {
    const cluster = await world({ replicas: 1, revisionHistoryLimit: 1 });
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await allReady(cluster);
      await cluster.patch(statefulSets, 'shop', 'db', { spec: { template: templateOf(image) } });
    }
    await allReady(cluster);
    expect(
      cluster
        .list(controllerRevisions, 'shop')
        .map(({ revision }) => revision)
        .sort(),
    ).toEqual([3, 4]);
    await isProven(cluster);
  });
});
