import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { garbageCollector } from '../garbage-collector/garbage-collector-controller';
import { jobController } from './job-controller';
import { ttlAfterFinished } from './ttl-after-finished';

const jobs = 'jobs.batch';
const clean = { differ: 0, notDerivable: 0, differences: [] };

async function world(): Promise<Simulation> {
  const controllers = [jobController, ttlAfterFinished, garbageCollector].map(
    (reconciler) => reconcilerController(reconciler as never) as Controller,
  );
  const made = await clusterWorld(controllers);
  await makeNamespace(made, 'web');
  return made;
}

function job(spec: JsonObject = {}, pod: JsonObject = {}): JsonObject {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'app:1' }], ...pod } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'work' }, spec: { template, ...spec } };
}

const pods = (cluster: Simulation): KubeObject[] => cluster.list('pods', 'web');
const status = (cluster: Simulation): KubeObject['status'] => cluster.get(jobs, 'web', 'work')?.status;

async function end(cluster: Simulation, pod: KubeObject | undefined, phase: 'Succeeded' | 'Failed'): Promise<void> {
  const lastTransitionTime = formatTime(cluster.clock.now());
  const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
  await cluster.patch('pods', 'web', pod?.metadata.name as string, { status: { phase, conditions } }, 'status');
}

describe('a Job', () => {
  it('starts many pods in growing batches, and counts all of them once', async () => {
    const cluster = await world();
    await cluster.create(jobs, 'web', job({ parallelism: 60, completions: 60 }));
    expect(pods(cluster)).toHaveLength(60);
    expect(status(cluster)).toMatchObject({ active: 60, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    for (const pod of pods(cluster)) await end(cluster, pod, 'Succeeded');
    await cluster.run(2_000);
    expect(status(cluster)).toMatchObject({ succeeded: 60, conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete' }] });
    expect(pods(cluster).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
    expect((await cluster.reports()).filter((text) => text === 'Completed: Job completed')).toHaveLength(1);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('counts a pod once that ended while the controller was killed, at whichever write', async () => {
    for (const place of [0, 1, 2, 3]) {
      const cluster = await world();
      await cluster.create(jobs, 'web', job());
      await end(cluster, pods(cluster)[0], 'Succeeded');
      const before = cluster.appends.length;
      for (let ms = 0; ms < 1_001 && cluster.appends.length < before + place; ms += 1) await cluster.run(1);
      await cluster.restart();
      await cluster.run(3_000);
      expect(status(cluster)).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} });
      expect(status(cluster).conditions.at(-1)).toMatchObject({ type: 'Complete', reason: 'CompletionsReached' });
      expect(await cluster.verify()).toMatchObject(clean);
    }
  });

  it('takes its mark off pods when it is gone and they stay', async () => {
    const cluster = await world();
    await cluster.create(jobs, 'web', job());
    const [own] = pods(cluster);
    expect(own?.metadata.finalizers).toEqual(['batch.kubernetes.io/job-tracking']);
    await cluster.delete(jobs, 'web', 'work');
    await cluster.run(2_000);
    expect(pods(cluster).map(({ metadata: { finalizers, ownerReferences } }) => [finalizers, ownerReferences])).toEqual([
      [undefined, undefined],
    ]);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('adopts a pod that it selects, with its mark, and then has one too many', async () => {
    const cluster = await world();
    const made = await cluster.create(jobs, 'web', job());
    const labels = { 'batch.kubernetes.io/controller-uid': made.metadata.uid };
    const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'app:1' }] };
    const heard: unknown[] = [];
    await cluster.create('pods', 'web', { metadata: { name: 'stray', labels }, spec });
    const from = cluster.appends.length;
    await cluster.run(2_000);
    for (const { change } of cluster.appends.slice(from)) if (change?.name === 'stray') heard.push(change.object.metadata.finalizers);
    expect(heard).toContainEqual(['batch.kubernetes.io/job-tracking']);
    expect(pods(cluster)).toHaveLength(1);
    expect(status(cluster)).toMatchObject({ active: 1, terminating: 0 });
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('waits twice as long before each pod that replaces a failed one', async () => {
    const cluster = await world();
    await cluster.create(jobs, 'web', job({ backoffLimit: 5 }));
    const active = (): KubeObject | undefined => pods(cluster).find(({ status: { phase } }) => phase === 'Pending');
    for (const seconds of [10, 20, 40]) {
      await end(cluster, active(), 'Failed');
      await cluster.run(seconds * 1_000 - 1_500);
      expect(active()).toBeUndefined();
      await cluster.run(3_000);
      expect(active()).toBeDefined();
    }
    expect(status(cluster)).toMatchObject({ active: 1, failed: 3 });
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('says why it cannot create pods, and tries again ever more slowly', async () => {
    const cluster = await world();
    await cluster.create(jobs, 'web', job({ parallelism: 3 }, { priorityClassName: 'high' }));
    await cluster.run(10_000);
    const told = await cluster.reports();
    expect(told).toHaveLength(3);
    expect(told[0]).toMatch(/^FailedCreate: Error creating: pods "work-" is forbidden: no PriorityClass with name high was found$/);
    await cluster.create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'high' }, value: 10 });
    await cluster.run(20_000);
    expect(status(cluster)).toMatchObject({ active: 3 });
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('is deleted some time after its end, with its pods', async () => {
    const cluster = await world();
    await cluster.create(jobs, 'web', job({ ttlSecondsAfterFinished: 30 }));
    await end(cluster, pods(cluster)[0], 'Succeeded');
    await cluster.run(30_000);
    expect(cluster.get(jobs, 'web', 'work')).toBeDefined();
    await cluster.run(3_000);
    expect(cluster.get(jobs, 'web', 'work')).toBeUndefined();
    expect(pods(cluster)).toEqual([]);
    expect(await cluster.verify()).toMatchObject(clean);
  });
});
