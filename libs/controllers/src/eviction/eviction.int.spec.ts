import { describe, expect, it } from 'vitest';
import { verify } from '#libs/audit';
import {
  ClusterRuntime,
  ControllerShell,
  SimulationExecutive,
  VirtualClock,
  Writer,
  type Controller,
  type WriteResult,
} from '#libs/control-loop';
import { createMemoryLog } from '#libs/event-log';
import { fact } from '#libs/events';
import { patchOf, type JsonObject, type KubeObject } from '#libs/kernel';
import type { WriteRequest } from '#libs/kube-api';
import { disruptionController } from '../disruption/disruption-controller';
import { evictionController } from './eviction-controller';

const budgets = 'poddisruptionbudgets.policy';
const controllers = [evictionController, disruptionController] as unknown as Controller[];

class World {
  private operation = 0;
  readonly log = createMemoryLog();
  readonly clock = new VirtualClock(Date.parse('2026-01-01T12:00:00Z'));
  runtime!: ClusterRuntime;
  writer!: Writer;
  executive!: SimulationExecutive;
  private shells: ControllerShell<unknown>[] = [];

  async start(run: readonly Controller[] = controllers): Promise<this> {
    this.runtime = await ClusterRuntime.start({
      log: this.log,
      cluster: 'local',
      clock: this.clock,
      writer: `w${this.operation++}`,
      seed: 's',
    });
    this.writer = new Writer(this.runtime);
    this.executive = new SimulationExecutive(this.runtime, this.clock);
    this.shells = run.map((controller) => new ControllerShell(this.runtime, this.writer, controller));
    await Promise.all(this.shells.map((shell) => shell.start()));
    return this;
  }

  async stop(): Promise<void> {
    for (const shell of this.shells) shell.stop();
    await this.runtime.close();
  }

  send(request: WriteRequest): Promise<WriteResult> {
    const id = this.operation++;
    return this.writer.write(request, { actor: 'user:admin', operation: `request/${id}`, correlationId: `c${id}` });
  }

  async write(request: WriteRequest): Promise<WriteResult> {
    const writing = this.send(request);
    await this.executive.settle();
    return writing;
  }

  /** A ready pod, put there as an earlier start of the cluster would have left it. */
  async pod(name: string): Promise<void> {
    const object = {
      metadata: {
        name,
        namespace: 'web',
        uid: `uid-${name}`,
        labels: { app: 'web' },
        generation: 1,
        creationTimestamp: '2026-01-01T12:00:00Z',
      },
      spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'app:1' }], terminationGracePeriodSeconds: 30 },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    };
    const origin = { actor: 'test', operation: `pod/${name}`, correlationId: name };
    await this.runtime.append(`local.pods-web/${name}`, [[fact('Created', { object: object as unknown as KubeObject })]], 'no_stream', {
      origin,
      label: '0',
      follows: undefined,
    });
    await this.executive.settle();
  }

  evict(name: string, options: JsonObject = {}): Promise<WriteResult> {
    return this.send({ verb: 'evict', target: { resource: 'pods', namespace: 'web', name }, ...options });
  }

  get budget(): KubeObject {
    return this.runtime.state.get(budgets, 'web', 'b') as KubeObject;
  }
}

async function guarded(spec: JsonObject): Promise<World> {
  const world = await new World().start();
  await world.write({ verb: 'create', resource: 'namespaces', object: { metadata: { name: 'web' } } as KubeObject });
  for (const name of ['a', 'b', 'c', 'd']) await world.pod(name);
  const object = { metadata: { name: 'b' }, spec: { selector: { matchLabels: { app: 'web' } }, ...spec } } as unknown as KubeObject;
  expect(await world.write({ verb: 'create', resource: budgets, namespace: 'web', object })).toMatchObject({ kind: 'written' });
  return world;
}

describe('eviction', () => {
  it('charges the budget, then lets the pod go, and both can be made again from the log', async () => {
    const world = await guarded({ minAvailable: 3 });
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 });
    const evicted = world.evict('a');
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(world.runtime.state.get('pods', 'web', 'a')).toMatchObject({
      metadata: { deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }] },
    });
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3, observedGeneration: 1 });
    expect(world.budget.status).not.toHaveProperty('disruptedPods');
    const report = await verify({ log: world.log, cluster: 'local', seed: 's', controllers });
    expect(report).toMatchObject({ differ: 0, notDerivable: 0, chain: [], differences: [] });
    expect(report.agreed).toBeGreaterThan(3);
  });

  it('never overspends a budget, however many ask at once', async () => {
    const world = await guarded({ minAvailable: 2 });
    const answers = ['a', 'b', 'c', 'd'].map((name) => world.evict(name));
    await world.executive.runFor(1_000);
    const results = await Promise.all(answers);
    expect(results.filter(({ kind }) => kind === 'written')).toHaveLength(2);
    for (const result of results) {
      if (result.kind === 'refused') expect(result.status).toMatchObject({ code: 429 });
    }
    expect(await verify({ log: world.log, cluster: 'local', seed: 's', controllers })).toMatchObject({ differ: 0, notDerivable: 0 });
  });

  it('is answered as long as the asker waits, which is long in cluster time where the clock runs fast', async () => {
    const world = await guarded({ minAvailable: 3 });
    await world.stop();
    await world.start([]);
    world.clock.inRealMs = (ms) => 60 * ms;
    const evicted = world.evict('a');
    await new Promise((resolve) => setImmediate(resolve));
    world.clock.advanceTo(world.clock.now() + 200_000);
    await new ControllerShell(world.runtime, world.writer, evictionController).start();
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(await verify({ log: world.log, cluster: 'local', seed: 's', controllers })).toMatchObject({ differ: 0, notDerivable: 0 });
  });

  it('charges nothing on a dry run', async () => {
    const world = await guarded({ minAvailable: 3 });
    const dry = world.evict('a', { options: { dryRun: true } });
    await world.executive.settle();
    expect(await dry).toMatchObject({ kind: 'dry-run' });
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 1 });
  });

  it('grants what was charged before a crash, without a second charge', async () => {
    const world = await guarded({ minAvailable: 2 });
    await world.stop();
    await world.start([]);
    const evicted = world.evict('a');
    await new Promise((resolve) => setImmediate(resolve));
    const before = world.budget;
    const status = { ...before.status, disruptionsAllowed: 1, disruptedPods: { a: '2026-01-01T12:00:00Z' } };
    const charge = fact('StatusUpdated', { patch: patchOf(before, { ...before, status }) });
    await world.send({
      verb: 'record',
      target: { resource: budgets, namespace: 'web', name: 'b' },
      uid: before.metadata.uid,
      facts: [charge],
    });
    await new ControllerShell(world.runtime, world.writer, evictionController).start();
    await world.executive.settle();
    expect(await evicted).toMatchObject({ kind: 'written' });
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 1, disruptedPods: { a: '2026-01-01T12:00:00Z' } });
  });

  it('gives the disruption back after two minutes when no deletion followed', async () => {
    const world = await guarded({ minAvailable: 3 });
    const before = world.budget;
    const status = { ...before.status, disruptionsAllowed: 0, disruptedPods: { a: '2026-01-01T12:00:00Z' } };
    const charge = fact('StatusUpdated', { patch: patchOf(before, { ...before, status }) });
    await world.write({
      verb: 'record',
      target: { resource: budgets, namespace: 'web', name: 'b' },
      uid: before.metadata.uid,
      facts: [charge],
    });
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 3 });
    await world.executive.runFor(125_000);
    expect(world.budget.status).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 4 });
  });
});
