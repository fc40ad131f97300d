import { describe, expect, it } from 'vitest';
import { fact, type EventData } from '#libs/events';
import { SimulatedCluster, startOfTime, type PodInput } from '../simulated-cluster.fixture';
import { evictionConfigOf, type EvictionSettings } from './eviction-config';

const mebibyte = 1_048_576;

async function clusterWith(settings: EvictionSettings, pods: (Partial<PodInput> & { name: string })[]): Promise<SimulatedCluster> {
  const eviction = evictionConfigOf({ enforceNodeAllocatable: [], evictionPressureTransitionPeriod: '30s', ...settings });
  const cluster = await SimulatedCluster.start({ eviction });
  await cluster.node('node-1', { capacity: { memory: '1Gi', 'ephemeral-storage': '10Gi', cpu: '4', pods: '50' } });
  await cluster.run(0);
  for (const pod of pods) await cluster.pod({ ...pod, spec: { nodeName: 'node-1', ...pod.spec } });
  await cluster.run(1_000);
  return cluster;
}

const uses = (memory: string): Record<string, string> => ({ 'kubereel.dev/app.memory': memory, 'kubereel.dev/app.on-term': 'exit 143' });
const asks = (memory: string): Record<string, unknown> => ({
  containers: [{ name: 'app', image: 'app:1', resources: { requests: { memory } } }],
});

function load(cluster: SimulatedCluster, memoryMi: number): Promise<unknown> {
  const told = fact('NodeLoadChanged', { node: 'node-1', memoryBytes: memoryMi * mebibyte, diskBytes: 0 });
  return cluster.simulation.record('kubelet-decisions', [told]);
}

/** Evictions in the order in which they were decided, ms since the start. */
function evictions(cluster: SimulatedCluster): { pod: string; at: number; ranking: string[] }[] {
  return cluster.appends.flatMap(({ events, time }) =>
    events
      .filter(({ type }) => type === 'PodEvictedByKubelet')
      .map(({ data }) => {
        const { pod, ranking = [] } = data as unknown as EventData<'PodEvictedByKubelet'>;
        return { pod, at: time - startOfTime, ranking: ranking.map(({ name }) => name) };
      }),
  );
}

function written(cluster: SimulatedCluster, type: string): number {
  return cluster.appends.filter(({ events }) => events.some((event) => event.type === type)).length;
}

async function expectDerivable(cluster: SimulatedCluster): Promise<void> {
  const { differ, notDerivable, differences, chain } = await cluster.verify();
  expect({ differ, notDerivable, differences, chain }).toEqual({ differ: 0, notDerivable: 0, differences: [], chain: [] });
}

const hard = { evictionHard: { 'memory.available': '200Mi' } };

describe('a node that runs short of memory', () => {
  it('evicts whoever is over his request, by priority, then by how far; the whole ranking is in the log', async () => {
    const cluster = await clusterWith(hard, [
      { name: 'far', annotations: uses('400Mi'), spec: asks('100Mi') },
      { name: 'near', annotations: uses('150Mi'), spec: asks('100Mi') },
      { name: 'within', annotations: uses('100Mi'), spec: asks('200Mi') },
      { name: 'dear', annotations: uses('200Mi'), spec: { priority: 1_000 } },
      { name: 'safe', annotations: uses('50Mi'), spec: { priority: 2_000_001_000 } },
    ]);
    await cluster.run(12_000);
    expect(evictions(cluster)).toEqual([{ pod: 'far', at: 9_750, ranking: ['far', 'near', 'dear', 'safe', 'within'] }]);
    expect(cluster.get('far')?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(cluster.get('near')?.status.phase).toBe('Running');
    await expectDerivable(cluster);
  });

  it('counts what objects of kwok say of the use of pods, whenever they come', async () => {
    const cluster = await clusterWith(hard, [{ name: 'one', spec: asks('100Mi') }, { name: 'other', spec: asks('500Mi') }]); // prettier-ignore
    await cluster.run(11_000);
    const usage = (value: string): object => ({ usages: [{ usage: { memory: { value } } }] });
    const put = (resource: string, name: string, spec: object): Promise<unknown> =>
      cluster.simulation.put(resource, {
        metadata: { name, namespace: resource.startsWith('cluster') ? undefined : 'default', uid: name },
        spec,
      } as never);
    await put('clusterresourceusages.kwok.x-k8s.io', 'all', usage('400Mi'));
    await cluster.run(10_000);
    expect(evictions(cluster)).toEqual([]);
    await put('resourceusages.kwok.x-k8s.io', 'one', usage('500Mi'));
    await cluster.run(10_000);
    // What an object says holds for a run as a whole: the look that came before it finds it, too.
    expect(evictions(cluster)).toEqual([{ pod: 'one', at: 22_000, ranking: ['one', 'other'] }]);
    await expectDerivable(cluster);
  });

  it('looks at nothing while nothing will be due, and writes nothing', async () => {
    const cluster = await clusterWith(hard, [{ name: 'grows', annotations: uses('100Mi grows 1Mi/s up to 700Mi') }]);
    const before = cluster.appends.length;
    await cluster.run(3_600_000);
    expect(cluster.appends.length).toBe(before);
  });

  it('finds growth out at the first look after the threshold is crossed', async () => {
    const cluster = await clusterWith(hard, [{ name: 'leaks', annotations: uses('100Mi grows 1Mi/s') }]);
    // Started at 300 ms: 824 MiB are used at 724.3 s, and looks come every 10 s from -250 ms on.
    await cluster.run(728_000);
    expect(evictions(cluster)).toEqual([]);
    await cluster.run(3_000);
    expect(evictions(cluster).map(({ at }) => at)).toEqual([729_750]);
  });

  it('stays under pressure for as long as it is set to, after the last look that found a reason', async () => {
    const cluster = await clusterWith(hard, [{ name: 'small', annotations: uses('10Mi'), spec: { priority: 2_000_001_000 } }]);
    const pressure = (): unknown => cluster.simulation.state.decisions.nodes.of('node-1').pressure?.conditions;
    await load(cluster, 900);
    await cluster.run(20_000);
    await load(cluster, 100);
    await cluster.run(25_000);
    expect(pressure()).toMatchObject([{ type: 'MemoryPressure' }]);
    await cluster.run(10_000);
    expect(pressure()).toEqual([]);
    await expectDerivable(cluster);
  });

  it('tells of what it cannot reclaim no oftener than an Event may be written, and counts on', async () => {
    const cluster = await clusterWith(hard, [{ name: 'safe', annotations: uses('900Mi'), spec: { priority: 2_000_001_000 } }]);
    await cluster.run(3_600_000);
    expect(written(cluster, 'NodePressureObserved')).toBeLessThanOrEqual(25 + 12);
    const told = cluster.appends.flatMap(({ events }) => events.filter(({ data }) => data.reason === 'EvictionThresholdMet'));
    expect(told.at(-1)?.data.count).toBeGreaterThan(320);
    await expectDerivable(cluster);
  });

  it('waits for the grace of a soft threshold, and gives the pod no more than it is set to', async () => {
    const soft = {
      evictionHard: { 'memory.available': '10Mi' },
      evictionSoft: { 'memory.available': '300Mi' },
      evictionSoftGracePeriod: { 'memory.available': '25s' },
      evictionMaxPodGracePeriod: 4,
    };
    const annotations = { 'kubereel.dev/app.memory': '900Mi', 'kubereel.dev/app.on-term': 'ignore' };
    const cluster = await clusterWith(soft, [{ name: 'deaf', annotations }]);
    await cluster.run(60_000);
    expect(evictions(cluster).map(({ at }) => at)).toEqual([39_750]);
    expect(cluster.story('deaf')).toContain('PodTerminated@43750');
  });

  it('goes on to the next as soon as one is not enough', async () => {
    const settings = { ...hard, evictionMinimumReclaim: { 'memory.available': '500Mi' } };
    const cluster = await clusterWith(settings, [
      { name: 'first', annotations: uses('450Mi') },
      { name: 'second', annotations: uses('430Mi') },
    ]);
    await cluster.run(30_000);
    expect(evictions(cluster).map(({ pod, at }) => [pod, at])).toEqual([
      ['first', 9_750],
      ['second', 10_850],
    ]);
    await expectDerivable(cluster);
  });

  it('takes up where it was when the kubelet app is started again between an eviction and its end', async () => {
    const settings = { ...hard, evictionMinimumReclaim: { 'memory.available': '500Mi' } };
    const deaf = { 'kubereel.dev/app.memory': '450Mi', 'kubereel.dev/app.on-term': 'ignore' };
    const cluster = await clusterWith(settings, [
      { name: 'first', annotations: deaf },
      { name: 'second', annotations: uses('430Mi') },
    ]);
    await cluster.run(9_500);
    expect(evictions(cluster).map(({ pod, at }) => [pod, at])).toEqual([['first', 9_750]]);
    await cluster.restart();
    await cluster.run(30_000);
    expect(evictions(cluster).map(({ pod, at }) => [pod, at])).toEqual([['second', 12_750]]);
    await expectDerivable(cluster);
  });
});

describe('a pod that stores more than it may', () => {
  it('is evicted though nobody is short of anything, without the condition of a disruption', async () => {
    const resources = { limits: { 'ephemeral-storage': '100Mi' }, requests: { 'ephemeral-storage': '100Mi' } };
    const annotations = { 'kubereel.dev/app.disk': '10Mi; from 15s 200Mi', 'kubereel.dev/app.on-term': 'exit 1' };
    const cluster = await clusterWith(hard, [
      { name: 'hoards', annotations, spec: { containers: [{ name: 'app', image: 'app:1', resources }] } },
    ]);
    await cluster.run(30_000);
    const { status } = cluster.get('hoards') ?? {};
    expect(status).toMatchObject({
      reason: 'Evicted',
      message: 'Pod ephemeral local storage usage exceeds the total limit of containers 100Mi. ',
    });
    expect(JSON.stringify(status)).not.toContain('DisruptionTarget');
    await expectDerivable(cluster);
  });
});

describe('a pod that comes to a node under memory pressure', () => {
  it.each([
    ['best effort', {}, 'Evicted'],
    ['burstable', { qosClass: 'Burstable' }, undefined],
    ['critical', { spec: { priority: 2_000_000_000 } }, undefined],
    [
      'tolerant',
      { spec: { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule', operator: 'Exists' }] } },
      undefined,
    ],
  ])('is taken unless it is best effort and bears no pressure: %s', async (_what, pod: Partial<PodInput>, reason) => {
    const cluster = await clusterWith(hard, []);
    await load(cluster, 900);
    await cluster.run(15_000);
    await cluster.pod({ name: 'late', ...pod, spec: { nodeName: 'node-1', ...pod.spec } });
    await cluster.run(1_000);
    expect(cluster.get('late')?.status.reason).toBe(reason);
  });
});

interface Shortage {
  signal: string;
  threshold: string;
  /** What others than pods have of it, and what says that a pod has so many (files: ten times as many). */
  others: object;
  annotation: (times: number) => Record<string, string>;
  condition: string;
  message: string;
}

describe('a node that runs short of', () => {
  const files: Shortage = {
    signal: 'nodefs.inodesFree',
    threshold: '20%',
    others: { inodes: 500_000 },
    annotation: (times) => ({ 'kubereel.dev/inodes': `${times * 10}`, 'kubereel.dev/on-term': 'exit 143' }),
    condition: 'DiskPressure',
    message: 'The node was low on resource: inodes. Threshold quantity: 128Ki, available: 120360. ',
  };
  const processes: Shortage = {
    signal: 'pid.available',
    threshold: '1k',
    others: { pids: 29_001 },
    annotation: (times) => ({ 'kubereel.dev/pids': `${times}`, 'kubereel.dev/on-term': 'exit 143' }),
    condition: 'PIDPressure',
    message: 'The node was low on resource: pids. Threshold quantity: 1k, available: 267. ',
  };

  it.each<[what: string, shortage: Shortage]>([
    ['files', files],
    ['processes', processes],
  ])('%s evicts the lowest priority first, and of that who has the most; its condition says so', async (_what, shortage) => {
    const { signal, threshold, others, annotation, condition, message } = shortage;
    const cluster = await clusterWith({ evictionHard: { [signal]: threshold } }, [
      { name: 'few', annotations: annotation(500) },
      { name: 'many', annotations: annotation(1_500) },
      { name: 'dear', annotations: annotation(1_500), spec: { priority: 10 } },
    ]);
    const load = { node: 'node-1', memoryBytes: 0, diskBytes: 0, ...others };
    await cluster.simulation.record('kubelet-decisions', [fact('NodeLoadChanged', load)]);
    await cluster.run(12_000);
    expect(evictions(cluster)).toMatchObject([{ pod: 'many', ranking: ['many', 'few', 'dear'] }]);
    expect(cluster.get('many')?.status).toMatchObject({ reason: 'Evicted', message });
    const shown = expect.objectContaining({ type: condition, status: 'True' });
    expect(cluster.simulation.get('nodes', undefined, 'node-1')?.status).toMatchObject({ conditions: expect.arrayContaining([shown]) });
    await expectDerivable(cluster);
  });
});
