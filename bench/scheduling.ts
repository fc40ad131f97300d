import type { KubeObject } from '#libs/kernel';
import { onPod } from '#libs/scheduler';
import { createProfiles, SchedulerCache, schedulePod, SchedulingQueue } from '#libs/scheduling';

interface Figure {
  name: string;
  value: number;
  unit: string;
  load: string;
}

/** Shapes of the upstream scheduler benchmark: what the pods to schedule ask for, and what is there before. */
interface Shape {
  readonly name: string;
  readonly nodeCount: number;
  readonly podCount: number;
  /** Pods that fill the nodes first, of low priority. */
  readonly existing?: (i: number) => KubeObject;
  readonly pod: (i: number) => KubeObject;
  /** Pods that stand at their nodes before. */
  readonly placed?: readonly KubeObject[];
  readonly node?: (i: number) => KubeObject;
  readonly config?: object;
}

const now = Date.parse('2026-01-01T00:00:00Z');
const smallest = 100;
const warmUpPods = 2000;
const zones = ['zone-a', 'zone-b', 'zone-c'];

/** The pure core: queue, cycle and cache, without API and log. */
export async function benchScheduling(scale = 1, only?: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const shape of shapes(scale)) {
    if (only !== undefined && shape.name !== only) continue;
    // Compiled code is what a running scheduler runs.
    if (shape.nodeCount === smallest) run({ ...shape, podCount: warmUpPods });
    figures.push(run(shape));
  }
  return figures;
}

function shapes(scale: number): Shape[] {
  const list: Shape[] = [];
  for (const [nodeCount, base] of [
    [smallest, 1000],
    [1000, 2000],
    [5000, 2000],
  ] as const) {
    const podCount = Math.max(1, Math.round(base * scale));
    list.push(
      { name: 'basic', nodeCount, podCount, pod: (i) => pod(`basic-${i}`) },
      {
        name: 'pod affinity',
        nodeCount,
        podCount,
        pod: (i) =>
          pod(`aff-${i}`, { labels: { color: 'blue' }, spec: { affinity: { podAffinity: required('topology.kubernetes.io/zone') } } }),
      },
      {
        name: 'pod anti-affinity',
        nodeCount,
        podCount: Math.min(podCount, nodeCount),
        pod: (i) =>
          pod(`anti-${i}`, { labels: { color: 'blue' }, spec: { affinity: { podAntiAffinity: required('kubernetes.io/hostname') } } }),
      },
      {
        name: 'preferred affinity',
        nodeCount,
        podCount,
        pod: (i) =>
          pod(`pref-${i}`, { labels: { color: 'blue' }, spec: { affinity: { podAffinity: preferred('kubernetes.io/hostname') } } }),
      },
      {
        name: 'topology spread',
        nodeCount,
        podCount,
        pod: (i) =>
          pod(`spread-${i}`, { labels: { color: 'blue' }, spec: { topologySpreadConstraints: [spread('topology.kubernetes.io/zone')] } }),
      },
      {
        name: 'preferred spread',
        nodeCount,
        podCount,
        pod: (i) =>
          pod(`soft-${i}`, {
            labels: { color: 'blue' },
            spec: { topologySpreadConstraints: [{ ...spread('topology.kubernetes.io/zone'), whenUnsatisfiable: 'ScheduleAnyway' }] },
          }),
      },
      {
        name: 'preemption',
        nodeCount,
        podCount: Math.min(podCount, nodeCount),
        existing: (i) => pod(`low-${i}`, { cpu: '900m' }),
        pod: (i) => pod(`high-${i}`, { cpu: '3', spec: { priority: 1000 } }),
      },
      crossNodePreemption(nodeCount),
      { name: 'unschedulable', nodeCount, podCount, pod: (i) => pod(`never-${i}`, { cpu: '9' }) },
      { name: 'mixed', nodeCount, podCount, pod: mixed },
    );
  }
  return list;
}

const nodesPerZone = 5;

/** Each zone of five nodes has one pod, on a node that takes no others, that keeps away a pod of its kind. */
function crossNodePreemption(nodeCount: number): Shape {
  const zoneCount = nodeCount / nodesPerZone;
  const labels = { color: 'blue' };
  const inZone = (i: number): KubeObject => {
    const made = node(i);
    const zone = { 'topology.kubernetes.io/zone': `zone-${Math.floor(i / nodesPerZone)}` };
    const unschedulable = i % nodesPerZone === 0;
    return { ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, ...zone } }, spec: { unschedulable } };
  };
  return {
    name: 'cross-node preemption',
    nodeCount,
    podCount: zoneCount,
    node: inZone,
    placed: Array.from({ length: zoneCount }, (_unused, i) => pod(`low-${i}`, { labels, spec: { nodeName: `node-${i * nodesPerZone}` } })),
    config: { profiles: [{ plugins: { postFilter: { enabled: [{ name: 'CrossNodePreemption' }] } } }] },
    pod: (i) =>
      pod(`high-${i}`, { labels, spec: { priority: 1000, affinity: { podAntiAffinity: required('topology.kubernetes.io/zone') } } }),
  };
}

function mixed(i: number): KubeObject {
  const labels = { color: 'blue' };
  switch (i % 5) {
    case 0:
      return pod(`mix-${i}`);
    case 1:
      return pod(`mix-${i}`, { labels, spec: { affinity: { podAffinity: required('topology.kubernetes.io/zone') } } });
    case 2:
      return pod(`mix-${i}`, {
        labels: { color: 'green' },
        spec: { affinity: { podAntiAffinity: required('kubernetes.io/hostname', 'green') } },
      });
    case 3:
      return pod(`mix-${i}`, { labels, spec: { affinity: { podAffinity: preferred('kubernetes.io/hostname') } } });
    default:
      return pod(`mix-${i}`, { labels, spec: { topologySpreadConstraints: [spread('topology.kubernetes.io/zone')] } });
  }
}

const selector = (color = 'blue'): object => ({ matchLabels: { color } });
const required = (topologyKey: string, color?: string): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: selector(color), topologyKey }],
});
const preferred = (topologyKey: string): object => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { labelSelector: selector(), topologyKey } }],
});
const spread = (topologyKey: string): object => ({
  maxSkew: 5,
  topologyKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: selector(),
});

function pod(
  name: string,
  { labels = {}, cpu = '100m', spec = {} }: { labels?: Record<string, string>; cpu?: string; spec?: object } = {},
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: '2026-01-01T00:00:00Z', labels },
    spec: { containers: [{ name: 'c', image: 'pause:3.10', resources: { requests: { cpu, memory: '100Mi' } } }], ...spec },
  };
}

function node(i: number): KubeObject {
  const name = `node-${i}`;
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': zones[i % zones.length] as string };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z', labels },
    spec: {},
    status: { allocatable: { cpu: '4', memory: '32Gi', pods: '110' } },
  };
}

/** Schedules every pod once; victims of a preemption vanish at once, and the pod comes again. */
function run(shape: Shape): Figure {
  const profiles = createProfiles(shape.config);
  const profile = profiles.get('default-scheduler');
  if (profile === undefined) throw new Error('no default profile');
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  const backend = { cache, queue, profiles };
  for (let i = 0; i < shape.nodeCount; i++) cache.addNode((shape.node ?? node)(i));
  for (const placed of shape.placed ?? []) cache.addPod(placed);
  if (shape.existing !== undefined) fill(shape, cache);
  const pods = Array.from({ length: shape.podCount }, (_unused, i) => shape.pod(i));
  const objects = new Map(pods.map((object) => [object.metadata.uid, object]));
  for (const object of pods) onPod(backend, undefined, object, now);

  let nextStartNodeIndex = 0;
  let attempts = 0;
  let seed = 1;
  const chance = (bound: number): number => (seed = (seed * 48271) % 2147483647) % bound;
  const began = process.cpuUsage();
  for (let popped = queue.pop(now); popped !== undefined && attempts < 4 * shape.podCount; popped = queue.pop(now)) {
    attempts++;
    const { info } = popped.pod;
    const result = schedulePod(cache.snapshot(), info.pod, { profile, nominated: queue.nominator, chance, nextStartNodeIndex, now });
    nextStartNodeIndex = result.nextStartNodeIndex;
    if (result.kind === 'bound') {
      cache.assumePod(info.pod, result.node);
      queue.nominator.delete(info.uid);
      queue.done(info.uid);
      const bound = { ...info.pod, spec: { ...info.pod.spec, nodeName: result.node } };
      objects.set(info.uid, bound);
      onPod(backend, info.pod, bound, now);
      continue;
    }
    queue.addUnschedulable(popped.pod, result, now);
    const nominatedNodeName = result.kind === 'unschedulable' ? result.postFilter?.nominatedNodeName : undefined;
    if (nominatedNodeName) {
      const nominated = { ...info.pod, status: { ...info.pod.status, nominatedNodeName } };
      objects.set(info.uid, nominated);
      onPod(backend, info.pod, nominated, now);
      for (const victim of (result.kind === 'unschedulable' && result.postFilter?.preemption?.chosen?.victims) || [])
        onPod(backend, victim.pod, undefined, now);
    }
  }
  const { user, system } = process.cpuUsage(began);
  const elapsedMs = (user + system) / 1000;
  return {
    name: `schedule: ${shape.name}, ${shape.nodeCount} nodes`,
    value: Math.round((elapsedMs / shape.podCount) * 10000) / 10000,
    unit: 'ms cpu/pod',
    load: `${shape.podCount} pods, ${attempts} attempts`,
  };
}

function fill(shape: Shape, cache: SchedulerCache): void {
  for (let i = 0; i < shape.nodeCount * 4; i++) {
    const low = shape.existing?.(i);
    if (low === undefined) return;
    cache.addPod({
      ...low,
      spec: { ...low.spec, nodeName: `node-${i % shape.nodeCount}` },
      status: { phase: 'Running', startTime: new Date(now - i * 1000).toISOString() },
    });
  }
}
