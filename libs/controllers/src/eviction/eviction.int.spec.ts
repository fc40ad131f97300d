import { describe, expect, it } from 'vitest';
import type { Controller, WriteResult } from '#libs/control-loop';
import { fact } from '#libs/events';
import { patchOf, type JsonObject, type KubeObject } from '#libs/kernel';
import { Simulation } from '#libs/testing';
import { disruptionController } from '../disruption/disruption-controller';
import { evictionController } from './eviction-controller';

const budgets = 'poddisruptionbudgets.policy';
const controllers = [evictionController, disruptionController] as unknown as Controller[];

/** A ready pod, put there as an earlier start of the cluster would have left it. */
async function putPod(world: Simulation, name: string): Promise<void> {
  const metadata = { name, namespace: 'web', uid: `uid-${name}`, labels: { app: 'web' }, generation: 1 };
  await world.put('pods', {
    metadata: { ...metadata, creationTimestamp: '2026-01-01T12:00:00Z' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'app:1' }], terminationGracePeriodSeconds: 30 },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
  await world.executive.settle();
}

function evict(world: Simulation, name: string, options: JsonObject = {}): Promise<WriteResult> {
  return world.write({ verb: 'evict', target: { resource: 'pods', namespace: 'web', name }, ...options });
}

function budgetOf(world: Simulation): KubeObject {
  return world.get(budgets, 'web', 'b') as KubeObject;
}

async function guarded(spec: JsonObject): Promise<Simulation> {
  const world = await Simulation.start(controllers, { start: Date.parse('2026-01-01T12:00:00Z') });
  await world.create('namespaces', undefined, { metadata: { name: 'web' } });
  for (const name of ['a', 'b', 'c', 'd']) await putPod(world, name);
  await world.create(budgets, 'web', { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'web' } }, ...spec } });
  return world;
}

describe('eviction', () => {
  it('charges the budget, then lets the pod go, and both can be made again from the log', async () => {
    const world = await guarded({ minAvailable: 3 });
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 });
    const evicted = evict(world, 'a');
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(world.get('pods', 'web', 'a')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    });
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3, observedGeneration: 1 });
    expect(budgetOf(world).status).not.toHaveProperty('disruptedPods');
    const report = await world.verify(controllers);
    expect(report).toMatchObject({ differ: 0, notDerivable: 0, chain: [], differences: [] });
    expect(report.agreed).toBeGreaterThan(3);
  });

  it('never overspends a budget, however many ask at once', async () => {
    const world = await guarded({ minAvailable: 2 });
    const answers = ['a', 'b', 'c', 'd'].map((name) => evict(world, name));
    await world.run(1_000);
    const results = await Promise.all(answers);
    expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(2);
    for (const result of results) {
      if (result.kind === 'refused') expect(result.status).toMatchObject({ code: 429 });
    }
    expect(await world.verify(controllers)).toMatchObject({ differ: 0, notDerivable: 0 });
  });

  it('is answered as long as the asker waits, which is long in cluster time where the clock runs fast', async () => {
    const world = await guarded({ minAvailable: 3 });
    await world.restart([]);
    world.clock.inRealMs = (ms) => 60 * ms;
    const evicted = evict(world, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    world.clock.advanceTo(world.clock.now() + 200_000);
    await world.add(evictionController as Controller);
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(await world.verify(controllers)).toMatchObject({ differ: 0, notDerivable: 0 });
  });

  it('charges nothing on a dry run', async () => {
    const world = await guarded({ minAvailable: 3 });
    const dry = evict(world, 'a', { options: { dryRun: true } });
    await world.executive.settle();
    expect(await dry).toMatchObject({ kind: 'dry-run' });
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 1 });
  });

  it('grants what was charged before a crash, without a second charge', async () => {
    const world = await guarded({ minAvailable: 2 });
    await world.restart([]);
    const evicted = evict(world, 'a');
    await new Promise((resolve) => setImmediate(resolve));
    const before = budgetOf(world);
    const status = { ...before.status, disruptionsAllowed: 1, disruptedPods: { a: '2026-01-01T12:00:00Z' } };
    const charge = fact('StatusUpdated', { patch: patchOf(before, { ...before, status }) });
    await world.write({
      verb: 'record',
      target: { resource: budgets, namespace: 'web', name: 'b' },
      uid: before.metadata.uid,
      facts: [charge],
    });
    await world.add(evictionController as Controller);
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { a: '2026-01-01T12:00:00Z' } });
  });

  it('gives the disruption back after two minutes when no deletion followed', async () => {
    const world = await guarded({ minAvailable: 3 });
    const before = budgetOf(world);
    const status = { ...before.status, disruptionsAllowed: 0, disruptedPods: { a: '2026-01-01T12:00:00Z' } };
    const charge = fact('StatusUpdated', { patch: patchOf(before, { ...before, status }) });
    await world.send({
      verb: 'record',
      target: { resource: budgets, namespace: 'web', name: 'b' },
      uid: before.metadata.uid,
      facts: [charge],
    });
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3 });
    await world.run(125_000);
    expect(budgetOf(world).status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4 });
  });
});
