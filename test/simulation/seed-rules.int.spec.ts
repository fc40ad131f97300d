// Rules of the guides on priority, preemption and disruptions that span apps and that no scenario tells; docs/seeds.md lists them all.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { SimulatedCluster, type SimulationOptions } from '../../apps/cli/src/simulation/simulated-cluster';
import { answerOf, applyManifest, patchObject } from '../../apps/cli/src/simulation/actions';

const size = { cpu: '4', memory: '8Gi', pods: 110 };
const pods = (name: string) => ({ resource: 'pods', namespace: 'default', name });

class World {
  private constructor(private readonly cluster: SimulatedCluster) {}

  static async of(count: number, options: SimulationOptions = {}): Promise<World> {
    const cluster = await SimulatedCluster.create({ nodes: { count, ...size }, ...options });
    await cluster.executive.runFor(1_000);
    return new World(cluster);
  }

  async apply(manifest: JsonObject): Promise<{ code: number; message?: string }> {
    const writing = applyManifest(this.cluster, manifest);
    await this.cluster.executive.settle();
    return answerOf(await writing);
  }

  priorityClass(name: string, value: number, more: JsonObject = {}) {
    return this.apply({ apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...more });
  }

  pod(name: string, cpu: string, spec: JsonObject = {}, metadata: JsonObject = {}) {
    const containers = [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu } } }];
    return this.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers, ...spec } });
  }

  async remove(target: { resource: string; namespace?: string; name: string }, gracePeriodSeconds?: number): Promise<number> {
    return answerOf(await this.cluster.writeAndSettle({ verb: 'delete', target, options: { gracePeriodSeconds } })).code;
  }

  async ungate(name: string): Promise<number> {
    const writing = patchObject(this.cluster, pods(name), { spec: { schedulingGates: null } }, 'merge');
    await this.cluster.executive.settle();
    return answerOf(await writing).code;
  }

  get(name: string): KubeObject | undefined {
    return this.cluster.state.get('pods', 'default', name);
  }

  /** `node-1`; undefined for a pod that is not bound, or not there. */
  nodeOf(name: string): string | undefined {
    return this.get(name)?.spec?.nodeName as string | undefined;
  }

  isGoing(name: string): boolean {
    return this.get(name)?.metadata.deletionTimestamp !== undefined;
  }

  list(resource: string): KubeObject[] {
    return [...this.cluster.state.list(resource)];
  }

  wait(ms: number): Promise<void> {
    return this.cluster.executive.runFor(ms);
  }

  close(): Promise<void> {
    return this.cluster.close();
  }
}

const onNode = (number: number): JsonObject => ({ nodeSelector: { 'kubernetes.io/hostname': `node-${number}` } });
const slow = { annotations: { 'kubereel.dev/on-term': 'takes 20s' } };

let world: World;
afterEach(() => world.close());

describe('priority', () => {
  it('stays with a pod when its class is deleted, and decides for it; new pods of that class are refused', async () => {
    world = await World.of(1);
    await world.priorityClass('high', 1000);
    await world.pod('low', '4');
    await world.pod('high', '4', {
      priorityClassName: 'high',
      preemptionPolicy: 'PreemptLowerPriority',
      schedulingGates: [{ name: 'example.com/wait' }],
    });
    expect(await world.remove({ resource: 'priorityclasses.scheduling.k8s.io', name: 'high' })).toBe(200);
    expect(await world.pod('late', '1', { priorityClassName: 'high' })).toMatchObject({
      code: 403,
      message: expect.stringContaining('no PriorityClass with name high was found') as string,
    });
    expect(world.get('high')?.spec).toMatchObject({ priorityClassName: 'high', priority: 1000 });
    expect(await world.ungate('high')).toBe(200);
    await world.wait(2_000);
    expect(world.get('low')).toBeUndefined();
    expect(world.nodeOf('high')).toBe('node-1');
  });

  it('changes by deleting a class and making it again with another value, for new pods only', async () => {
    world = await World.of(1);
    await world.priorityClass('tier', 10);
    await world.pod('before', '1', { priorityClassName: 'tier' });
    expect(await world.priorityClass('tier', 20)).toMatchObject({
      code: 422,
      message: expect.stringContaining('value: Forbidden: may not be changed in an update.') as string,
    });
    await world.remove({ resource: 'priorityclasses.scheduling.k8s.io', name: 'tier' });
    expect(await world.priorityClass('tier', 20)).toMatchObject({ code: 201 });
    await world.pod('after', '1', { priorityClassName: 'tier' });
    expect([world.get('before')?.spec?.priority, world.get('after')?.spec?.priority]).toEqual([10, 20]);
  });

  it('is free to any pod, whatever its class of service', async () => {
    world = await World.of(1);
    await world.priorityClass('high', 1_000_000_000);
    expect(
      await world.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'modest' },
        spec: { priorityClassName: 'high', containers: [{ name: 'c', image: 'a' }] },
      }),
    ).toMatchObject({ code: 201 });
    expect(world.get('modest')).toMatchObject({ spec: { priority: 1_000_000_000 }, status: { qosClass: 'BestEffort' } });
  });

  it('puts a pod ahead in the queue, and one that finds no room does not hold up those behind it', async () => {
    world = await World.of(1);
    await world.priorityClass('high', 1000, { preemptionPolicy: 'Never' });
    await world.pod('big', '8', { priorityClassName: 'high' });
    await world.pod('small', '1');
    await world.wait(1_000);
    expect(world.nodeOf('big')).toBeUndefined();
    expect(world.nodeOf('small')).toBe('node-1');
  });
});

describe('a pod', () => {
  it('that is made again under its name is another pod', async () => {
    world = await World.of(1);
    await world.pod('web', '1');
    const first = world.get('web')?.metadata.uid;
    await world.wait(1_000);
    await world.remove(pods('web'));
    await world.wait(1_000);
    await world.pod('web', '1');
    expect(first).toBeDefined();
    expect(world.get('web')?.metadata.uid).toBeDefined();
    expect(world.get('web')?.metadata.uid).not.toBe(first);
  });
});

describe('preemption', () => {
  it('happens only where the pod fits once all pods of lower priority are gone', async () => {
    world = await World.of(1);
    await world.priorityClass('high', 1000);
    await world.pod('equal', '3', { priorityClassName: 'high' });
    await world.pod('low', '1');
    await world.wait(1_000);
    await world.pod('high', '2', { priorityClassName: 'high' });
    await world.wait(5_000);
    expect(world.isGoing('low')).toBe(false);
    expect(world.get('high')?.status?.nominatedNodeName).toBeUndefined();
    expect(world.get('high')?.status?.conditions[0].message).toContain('preemption: 0/1 nodes are available: 1 Insufficient cpu.');
  });

  it('prefers the node whose victims have the lowest priority, but takes a higher one where the pod cannot run there', async () => {
    world = await World.of(2);
    await world.priorityClass('mid', 500);
    await world.priorityClass('high', 1000);
    await world.pod('low', '4', onNode(1));
    await world.pod('mid', '4', { priorityClassName: 'mid', ...onNode(2) });
    await world.wait(1_000);
    await world.pod('picky', '4', { priorityClassName: 'high', ...onNode(2) });
    await world.wait(3_000);
    expect(world.nodeOf('picky')).toBe('node-2');
    expect(world.get('mid')).toBeUndefined();
    expect(world.isGoing('low')).toBe(false);
    await world.pod('high', '4', { priorityClassName: 'high' });
    await world.wait(3_000);
    expect(world.nodeOf('high')).toBe('node-1');
    expect(world.get('low')).toBeUndefined();
  });

  it('takes no account of the class of service: a Guaranteed pod goes before a BestEffort one of higher priority', async () => {
    world = await World.of(1, { nodes: { count: 1, ...size, pods: 2 } });
    await world.priorityClass('mid', 500);
    await world.priorityClass('high', 1000);
    const limits = { cpu: '1', memory: '1Gi' };
    const plain = (name: string, spec: JsonObject) => world.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
    await plain('guaranteed', { containers: [{ name: 'c', image: 'a', resources: { requests: limits, limits } }] });
    await plain('best-effort', { priorityClassName: 'mid', containers: [{ name: 'c', image: 'a' }] });
    await world.wait(1_000);
    expect([world.get('guaranteed')?.status?.qosClass, world.get('best-effort')?.status?.qosClass]).toEqual(['Guaranteed', 'BestEffort']);
    await plain('high', { priorityClassName: 'high', containers: [{ name: 'c', image: 'a' }] });
    await world.wait(3_000);
    expect(world.get('guaranteed')).toBeUndefined();
    expect(world.get('best-effort')?.status?.phase).toBe('Running');
    expect(world.nodeOf('high')).toBe('node-1');
  });

  it('need not end on the nominated node: another one that becomes free meanwhile is taken', async () => {
    world = await World.of(2);
    await world.priorityClass('high', 1000);
    await world.priorityClass('higher', 2000);
    await world.pod('low', '4', onNode(1), slow);
    await world.pod('other', '4', { priorityClassName: 'higher', ...onNode(2) });
    await world.wait(1_000);
    await world.pod('high', '4', { priorityClassName: 'high' });
    await world.wait(1_000);
    expect(world.get('high')?.status?.nominatedNodeName).toBe('node-1');
    await world.remove(pods('other'));
    await world.wait(12_000);
    expect(world.isGoing('low')).toBe(true);
    expect(world.nodeOf('high')).toBe('node-2');
  });

  it('leaves no gap where the victims have no grace, and at most the grace where they do', async () => {
    world = await World.of(2);
    await world.priorityClass('high', 1000);
    await world.pod(
      'at-once',
      '4',
      { terminationGracePeriodSeconds: 0, ...onNode(1) },
      { annotations: { 'kubereel.dev/on-term': 'ignore' } },
    );
    await world.pod(
      'stubborn',
      '4',
      { terminationGracePeriodSeconds: 5, ...onNode(2) },
      { annotations: { 'kubereel.dev/on-term': 'ignore' } },
    );
    await world.wait(1_000);
    await world.pod('first', '4', { priorityClassName: 'high', ...onNode(1) });
    expect(world.get('at-once')).toBeUndefined();
    await world.pod('second', '4', { priorityClassName: 'high', ...onNode(2) });
    await world.wait(4_900);
    expect(world.isGoing('stubborn')).toBe(true);
    await world.wait(3_000);
    expect(world.get('stubborn')).toBeUndefined();
    expect([world.nodeOf('first'), world.nodeOf('second')]).toEqual(['node-1', 'node-2']);
  });
});

describe('disruptions', () => {
  const web = (image: string, strategy: JsonObject = {}): JsonObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      strategy,
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image }] } },
    },
  });
  const budget: JsonObject = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web' },
    spec: { minAvailable: '100%', selector: { matchLabels: { app: 'web' } } },
  };
  const images = () => world.list('pods').map(({ spec }) => (spec.containers as { image: string }[])[0]?.image);

  it('are not held up by a budget when pods are deleted, singly or with their Deployment', async () => {
    world = await World.of(1);
    await world.apply(web('a:1'));
    await world.apply(budget);
    await world.wait(2_000);
    const [first] = world.list('pods');
    expect(world.list('poddisruptionbudgets.policy')[0]?.status).toMatchObject({ currentHealthy: 3, disruptionsAllowed: 0 });
    expect(await world.remove(pods(first?.metadata.name as string))).toBe(200);
    expect(world.list('poddisruptionbudgets.policy')[0]?.status).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    await world.wait(2_000);
    expect(await world.remove({ resource: 'deployments.apps', namespace: 'default', name: 'web' })).toBe(200);
    await world.wait(2_000);
    expect(world.list('pods')).toEqual([]);
  });

  it('of a rolling update are not limited by a budget, but count against it', async () => {
    world = await World.of(1);
    await world.apply(web('a:1', { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }));
    await world.apply(budget);
    await world.wait(2_000);
    expect(images()).toEqual(['a:1', 'a:1', 'a:1']);
    await world.apply(web('a:2', { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }));
    expect(world.list('poddisruptionbudgets.policy')[0]?.status).toMatchObject({ expectedPods: 3, disruptionsAllowed: 0 });
    expect(world.list('poddisruptionbudgets.policy')[0]?.status?.currentHealthy).toBeLessThan(3);
    await world.wait(10_000);
    expect(images()).toEqual(['a:2', 'a:2', 'a:2']);
  });
});

describe('affinity among the pods of Deployments', () => {
  it('puts three caches and three web servers on three nodes, one of each on every node; a fourth of either waits', async () => {
    world = await World.of(3);
    const term = (app: string): JsonObject => ({
      labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [app] }] },
      topologyKey: 'kubernetes.io/hostname',
    });
    const only = (...apps: string[]): JsonObject => ({ requiredDuringSchedulingIgnoredDuringExecution: apps.map(term) });
    const deploy = async (name: string, app: string, replicas: number, affinity: JsonObject): Promise<void> => {
      const spec = { affinity, containers: [{ name: 'app', image: 'registry.example/app:1' }] };
      await world.apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: { replicas, selector: { matchLabels: { app } }, template: { metadata: { labels: { app } }, spec } },
      });
      await world.wait(5_000);
    };
    const nodesOf = (app: string): string[] =>
      world
        .list('pods')
        .filter(({ metadata }) => metadata.labels?.app === app)
        .map(({ spec }) => (spec?.nodeName as string | undefined) ?? 'none')
        .sort();
    await deploy('redis-cache', 'store', 3, { podAntiAffinity: only('store') });
    await deploy('web-server', 'web-store', 4, { podAntiAffinity: only('web-store'), podAffinity: only('store') });
    expect(nodesOf('store')).toEqual(['node-1', 'node-2', 'node-3']);
    expect(nodesOf('web-store')).toEqual(['node-1', 'node-2', 'node-3', 'none']);
  });
});
