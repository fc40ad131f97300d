import { describe, expect, it } from 'vitest';
import {
  annotationsOf,
  differences,
  lived,
  recordedLives,
  recordedStatuses,
  recordingsFound,
  withoutNoise,
  type RecordedAction,
  type RecordedLife,
} from './recorded-lives.fixture';
import { SimulatedCluster, startOfTime } from './simulated-cluster.fixture';

/** Groups of recordings, and how many pods of each can be played: what annotations cannot say is left out. */
const groups: [group: string, pods: number][] = [
  ['basic', 7],
  ['deletion', 17],
  ['init', 7],
  ['restart', 12],
  ['crashloop', 5],
  ['sidecars', 9],
  ['deadline', 4],
  ['admission', 19],
  ['hooks', 2],
  ['probes', 7],
  ['ephemeral', 4],
];

/** Why a recording is not the kubelet's alone to re-enact. */
const others: Record<string, string> = {
  'deletion/unscheduled': 'the scheduler writes the status',
  'admission/noexecute': 'taint eviction deletes the pod',
  'admission/noexecute-for-a-time': 'taint eviction deletes the pod',
  'crashloop/two-containers': 'recorded twice, and not alike: syncs come by chance',
};

/** What happens in these recordings beside their script. */
const besides: Record<string, Record<string, string>> = {
  'deletion/volume-wait': { 'kubereel.dev/startup': '1h' },
  'probes/grpc-nothing-listens': { 'kubereel.dev/ready': 'never' },
  'probes/readiness-refused': { 'kubereel.dev/ready': 'never' },
};

type Act = (cluster: SimulatedCluster, namespace: string) => Promise<unknown>;

function actOf({ do: verb, pod: name = '', grace, sub, body }: RecordedAction): Act | undefined {
  const patch =
    (subresource: 'status' | 'ephemeralcontainers' | undefined): Act =>
    (cluster, namespace) =>
      cluster.write({
        verb: 'patch',
        target: { resource: 'pods', namespace, name },
        subresource,
        patchType: 'strategic',
        patch: body as never,
      });
  if (verb === 'delete') return (cluster, namespace) => cluster.delete(name, grace, namespace);
  if (verb === 'patch') return patch(sub as 'ephemeralcontainers' | undefined);
  if (verb === 'patch-status') return patch('status');
  return verb === 'create-pod' ? () => Promise.resolve() : undefined;
}

function stepsOf(life: RecordedLife, nodeName: string): { at: number; act: Act }[] | undefined {
  const steps: { at: number; act: Act }[] = [];
  for (const { at, manifest } of life.pods) {
    const { name, namespace = 'default', annotations, finalizers, labels } = manifest.metadata;
    const does = annotationsOf(life.script[name]);
    if (!does) return undefined;
    const qosClass = life.timeline.find((entry) => entry.pod === name)?.status?.qosClass as string;
    const pod = {
      name,
      namespace,
      qosClass,
      spec: { nodeName, ...manifest.spec },
      annotations: { ...annotations, ...does, ...besides[life.id] },
    };
    steps.push({ at, act: (cluster) => cluster.pod({ ...pod, metadata: { finalizers, labels } }) });
  }
  for (const action of life.actions) {
    const act = actOf(action);
    if (!act) return undefined;
    steps.push({ at: action.at, act });
  }
  return steps.sort((a, b) => a.at - b.at);
}

/** Plays a recorded situation in virtual time. Undefined: it has something that annotations cannot say. */
async function play(life: RecordedLife): Promise<SimulatedCluster | undefined> {
  const { name: nodeName = 'node-a', cpu = 64, memoryMi = 131_072, reservedMi = 0, pods = 250, taints } = life.node ?? {};
  const steps = stepsOf(life, nodeName);
  if (!steps || others[life.id]) return undefined;
  const cluster = await SimulatedCluster.start({ startupMs: 100 });
  const capacity = { cpu: String(cpu), memory: `${memoryMi}Mi`, pods: String(pods) };
  await cluster.node(nodeName, { capacity, allocatable: { memory: `${memoryMi - reservedMi}Mi` }, taints });
  await cluster.run(0);
  const namespace = life.pods[0]?.manifest.metadata.namespace ?? 'default';
  for (const { at, act } of steps) {
    await cluster.simulation.executive.runUntil(startOfTime + at * 1000);
    await act(cluster, namespace);
  }
  await cluster.simulation.executive.runUntil(startOfTime + life.recordedFor * 1000);
  return cluster;
}

describe.skipIf(!recordingsFound)('pods live as they did on a kubelet of v1.34.4', () => {
  it.each(groups)('%s', async (group, pods) => {
    let played = 0;
    const found: string[] = [];
    for (const life of recordedLives(group)) {
      const cluster = await play(life);
      if (!cluster) continue;
      const end = life.recordedFor * 1000;
      for (const name of new Set(life.pods.map(({ manifest }) => manifest.metadata.name))) {
        const ours = cluster.changes(name).map(({ at, object }) => ({ at, status: withoutNoise(object.status, object.metadata.uid) }));
        const recorded = recordedStatuses(life, name).map(({ t, status }) => ({ at: t * 1000, status: withoutNoise(status, undefined) }));
        played++;
        found.push(...differences(lived(ours, end), lived(recorded, end)).map((difference) => `${life.id} ${name}: ${difference}`));
      }
    }
    expect(found).toEqual([]);
    expect(played).toBe(pods);
  });
});
