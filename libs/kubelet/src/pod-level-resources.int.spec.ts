// Pods with resources of their own (`spec.resources`), beside those of their containers.
import { describe, expect, it } from 'vitest';
import { fact, type EventData } from '#libs/events';
import { evictionConfigOf } from './eviction';
import { SimulatedCluster } from './simulated-cluster.fixture';

type Amounts = Record<string, string>;

const capacity = { cpu: '2', memory: '1Gi', pods: '10', 'ephemeral-storage': '10Gi' };

async function withNode(): Promise<SimulatedCluster> {
  const eviction = evictionConfigOf({
    enforceNodeAllocatable: [],
    evictionHard: { 'memory.available': '200Mi', 'nodefs.available': '10%' },
  });
  const cluster = await SimulatedCluster.start({ eviction });
  await cluster.node('node-1', { capacity });
  await cluster.run(0);
  return cluster;
}

interface Asked {
  ofPod?: { requests?: Amounts; limits?: Amounts };
  ofContainer?: Amounts;
  env?: object[];
  annotations?: Amounts;
  priority?: number;
  command?: string[];
}

const pod = (
  cluster: SimulatedCluster,
  name: string,
  { ofPod, ofContainer = {}, env, annotations, priority = 0, command }: Asked,
): Promise<void> =>
  cluster.pod({
    name,
    annotations: { 'kubereel.dev/on-term': 'exit 143', ...annotations },
    qosClass: 'Burstable',
    spec: {
      nodeName: 'node-1',
      priority,
      restartPolicy: 'Never',
      ...(ofPod ? { resources: ofPod } : {}),
      containers: [
        {
          name: 'app',
          image: command ? 'busybox' : 'app:1',
          resources: { requests: ofContainer },
          ...(env ? { env } : {}),
          ...(command ? { command } : {}),
        },
      ],
    },
  });

const status = (cluster: SimulatedCluster, name: string): any => cluster.get(name)?.status;

async function proven(cluster: SimulatedCluster): Promise<void> {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
}

function ranking(cluster: SimulatedCluster): { name: string; request: number }[] {
  for (const { events } of cluster.appends)
    for (const { type, data } of events)
      if (type === 'PodEvictedByKubelet')
        return ((data as unknown as EventData<'PodEvictedByKubelet'>).ranking ?? []).map(({ name, request }) => ({ name, request }));
  return [];
}

describe('resources of a pod as a whole', () => {
  it('are what counts on its node, in place of what its containers ask for', async () => {
    const cluster = await withNode();
    await pod(cluster, 'large', { ofPod: { requests: { cpu: '1500m' } }, ofContainer: { cpu: '100m' } });
    await cluster.run(1_000);
    await pod(cluster, 'other', { ofPod: { requests: { cpu: '600m' } } });
    await pod(cluster, 'fits', { ofPod: { requests: { cpu: '500m' } } });
    await cluster.run(1_000);
    expect(status(cluster, 'large').phase).toBe('Running');
    expect(status(cluster, 'other')).toMatchObject({
      phase: 'Failed',
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 600, used: 1500, capacity: 2000",
    });
    expect(status(cluster, 'fits').phase).toBe('Running');
    await proven(cluster);
  });

  it('are what a critical pod takes from those that give way to it', async () => {
    const cluster = await withNode();
    await pod(cluster, 'whole', { ofPod: { requests: { cpu: '1' } }, ofContainer: { cpu: '100m' } });
    await pod(cluster, 'parts', { ofContainer: { cpu: '900m' } });
    await cluster.run(1_000);
    await pod(cluster, 'critical', { ofContainer: { cpu: '1100m' }, priority: 2_000_001_000 });
    await cluster.run(5_000);
    expect(status(cluster, 'whole')).toMatchObject({ reason: 'Preempting' });
    expect([status(cluster, 'parts').phase, status(cluster, 'critical').phase]).toEqual(['Running', 'Running']);
    await proven(cluster);
  });

  it('are what its use is compared with when memory is short, and are named beside those of its containers', async () => {
    const cluster = await withNode();
    const uses = (memory: string): Amounts => ({ 'kubereel.dev/memory': memory });
    await pod(cluster, 'within', { ofPod: { requests: { memory: '500Mi' } }, ofContainer: { memory: '50Mi' }, annotations: uses('400Mi') });
    await pod(cluster, 'over', { ofPod: { requests: { memory: '200Mi' } }, ofContainer: { memory: '100Mi' }, annotations: uses('300Mi') });
    await cluster.run(1_000);
    const told = fact('NodeLoadChanged', { node: 'node-1', memoryBytes: 150 * 1_048_576, diskBytes: 0 });
    await cluster.simulation.record('kubelet-decisions', [told]);
    await cluster.run(15_000);
    expect(status(cluster, 'over').message).toBe(
      'The node was low on resource: memory. Threshold quantity: 200Mi, available: 174Mi. ' +
        'Pod over was using 300Mi, request is 200Mi, has larger consumption of memory. ' +
        'Container app was using 300Mi, request is 100Mi, has larger consumption of memory. ',
    );
    expect(ranking(cluster)).toEqual([
      { name: 'over', request: 200 * 1_048_576 },
      { name: 'within', request: 500 * 1_048_576 },
    ]);
    expect(status(cluster, 'within').phase).toBe('Running');
    await proven(cluster);
  });

  it('leave nothing of what its containers asked for of the disk', async () => {
    const cluster = await withNode();
    const writes = { 'kubereel.dev/disk': '1Gi' };
    const ofContainer = { 'ephemeral-storage': '4Gi' };
    await pod(cluster, 'whole', { ofPod: { requests: { cpu: '1' } }, ofContainer, annotations: writes });
    await pod(cluster, 'parts', { ofContainer, annotations: { 'kubereel.dev/disk': '2Gi' } });
    await cluster.run(1_000);
    const told = fact('NodeLoadChanged', { node: 'node-1', memoryBytes: 0, diskBytes: 6.5 * 1_073_741_824 });
    await cluster.simulation.record('kubelet-decisions', [told]);
    await cluster.run(30_000);
    expect(ranking(cluster)).toEqual([
      { name: 'whole', request: 0 },
      { name: 'parts', request: 4 * 1_073_741_824 },
    ]);
    await proven(cluster);
  });

  it('are the limits of containers that have none, as the downward API shows them', async () => {
    const cluster = await withNode();
    const shown = (name: string, resource: string): object => ({ name, valueFrom: { resourceFieldRef: { resource } } });
    const env = [
      shown('CPU', 'limits.cpu'),
      shown('MEMORY', 'limits.memory'),
      shown('DISK', 'limits.ephemeral-storage'),
      shown('ASKED', 'requests.cpu'),
    ];
    const command = ['sh', '-c', 'echo $CPU $MEMORY $DISK $ASKED > /dev/termination-log'];
    await pod(cluster, 'whole', { ofPod: { limits: { cpu: '1', memory: '256Mi' } }, env, command });
    await pod(cluster, 'bare', { env, command });
    await cluster.run(5_000);
    const message = (name: string): string => status(cluster, name).containerStatuses[0].state.terminated.message.trim();
    expect(message('whole')).toBe(`1 ${256 * 1_048_576} ${10 * 1_073_741_824} 0`);
    expect(message('bare')).toBe(`2 ${1_073_741_824} ${10 * 1_073_741_824} 0`);
    await proven(cluster);
  });
});
