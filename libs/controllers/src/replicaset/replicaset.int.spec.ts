import { describe, expect, it } from 'vitest';
import { type Controller, reconcilerController } from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { replicaSetController } from './replicaset-controller';

const replicaSets = 'replicasets.apps';

async function world(): Promise<Simulation> {
  const made = await clusterWorld([reconcilerController(replicaSetController) as Controller]);
  await makeNamespace(made, 'web');
  return made;
}

function replicaSet(replicas: number, spec: JsonObject = {}): JsonObject {
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
  return { metadata: { name: 'web' }, spec: { replicas, selector: { matchLabels: { app: 'web' } }, template, ...spec } };
}

const ready = (at: string): JsonObject => ({
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at }] },
});

describe('a ReplicaSet', () => {
  it('gets its pods in growing batches, its status and its reports', async () => {
    const cluster = await world();
    await cluster.create(replicaSets, 'web', replicaSet(7));
    const pods = cluster.list('pods', 'web');
    expect(pods).toHaveLength(7);
    expect(pods[0]?.metadata).toMatchObject({
      name: expect.stringMatching(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/),
      generateName: 'web-',
      labels: { app: 'web' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true, blockOwnerDeletion: true }],
    });
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toEqual({ replicas: 7, fullyLabeledReplicas: 7, observedGeneration: 1 });
    expect((await cluster.reports()).sort()).toEqual(pods.map(({ metadata }) => `SuccessfulCreate: Created pod: ${metadata.name}`).sort());
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('counts ready pods, and available ones once they have been ready long enough', async () => {
    const cluster = await world();
    await cluster.create(replicaSets, 'web', replicaSet(2, { minReadySeconds: 10 }));
    for (const { metadata } of cluster.list('pods', 'web'))
      await cluster.patch('pods', 'web', metadata.name, ready('2026-01-01T12:00:00Z'), 'status');
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toMatchObject({ readyReplicas: 2 });
    expect(cluster.get(replicaSets, 'web', 'web')?.status).not.toHaveProperty('availableReplicas');
    await cluster.run(10_000);
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('scales down by rank and tells of it', async () => {
    const cluster = await world();
    await cluster.create(replicaSets, 'web', replicaSet(3));
    const [first] = cluster.list('pods', 'web');
    await cluster.patch('pods', 'web', first?.metadata.name as string, ready('2026-01-01T12:00:00Z'), 'status');
    await cluster.patch(replicaSets, 'web', 'web', { spec: { replicas: 1 } });
    expect(cluster.list('pods', 'web').map(({ metadata }) => metadata.name)).toEqual([first?.metadata.name]);
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toMatchObject({ replicas: 1, observedGeneration: 2 });
    expect((await cluster.reports()).filter((text) => text.startsWith('SuccessfulDelete'))).toHaveLength(2);
  });

  it('adopts matching pods without a controller, and lets go of what matches no more', async () => {
    const cluster = await world();
    await cluster.create('pods', 'web', {
      metadata: { name: 'stray', labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'app:1' }] },
    });
    const owner = await cluster.create(replicaSets, 'web', replicaSet(2));
    expect(cluster.list('pods', 'web')).toHaveLength(2);
    expect(cluster.get('pods', 'web', 'stray')?.metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid, controller: true }]);
    await cluster.patch('pods', 'web', 'stray', { metadata: { labels: { app: 'other' } } });
    expect(cluster.get('pods', 'web', 'stray')?.metadata.ownerReferences ?? []).toEqual([]);
    expect(cluster.list('pods', 'web')).toHaveLength(3);
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('says why it cannot create pods, tries again ever more slowly, and recovers', async () => {
    const cluster = await world();
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { priorityClassName: 'high', containers: [{ name: 'c', image: 'app:1' }] },
    };
    await cluster.create(replicaSets, 'web', replicaSet(3, { template }));
    await cluster.run(1_000);
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toMatchObject({
      replicas: 0,
      conditions: [
        {
          type: 'ReplicaFailure',
          status: 'True',
          reason: 'FailedCreate',
          message: expect.stringContaining('no PriorityClass with name high was found'),
        },
      ],
    });
    const told = await cluster.reports();
    expect(told.length).toBeGreaterThan(2);
    expect(told.length).toBeLessThan(12);
    expect(told[0]).toMatch(/^FailedCreate: Error creating: pods "web-.{5}" is forbidden: no PriorityClass with name high was found$/);
    await cluster.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'high' }, value: 10 });
    await cluster.run(5_000);
    expect(cluster.get(replicaSets, 'web', 'web')?.status).toEqual({ replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 1 });
    expect(await cluster.verify()).toMatchObject({ differ: 0, notDerivable: 0, differences: [] });
  });
});
