import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { SimulatedCluster } from '../simulated-cluster.fixture';
import { stageResource } from './staged-pod';

const about = { resourceRef: { apiGroup: 'v1', kind: 'Pod' } };
const alive = { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' };

const begins = {
  ...about,
  selector: { matchExpressions: [alive, { key: '.status.podIP', operator: 'DoesNotExist' }] },
  delay: { durationMilliseconds: 5_000 },
  next: {
    event: { type: 'Normal', reason: 'Begun', message: 'it has begun' },
    statusTemplate: `
      {{- $now := Now }}
      phase: Running
      podIP: {{ PodIPWith .spec.nodeName (or .spec.hostNetwork false) | Quote }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      startTime: {{ $now | Quote }}
      conditions:
      - { type: Ready, status: "True", lastTransitionTime: {{ $now | Quote }} }
      containerStatuses:
      {{ range $index, $item := .spec.containers }}
      - name: {{ $item.name | Quote }}
        image: {{ .image | Quote }}
        imageID: ""
        ready: true
        restartCount: {{ $index }}
        state: { running: { startedAt: {{ $now | Quote }} } }
      {{ end }}`,
  },
};
const goes = {
  ...about,
  selector: { matchExpressions: [{ key: '.metadata.deletionTimestamp', operator: 'Exists' }] },
  next: { finalizers: { empty: true }, delete: true },
};

async function clusterWith(stages: Record<string, object>): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start();
  await cluster.node('n1', { taints: [] });
  for (const [name, spec] of Object.entries(stages)) await stage(cluster, name, spec);
  await cluster.run(0);
  return cluster;
}

const stage = (cluster: SimulatedCluster, name: string, spec: object): Promise<void> =>
  cluster.simulation.put(stageResource, {
    metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: spec as JsonObject,
  } as KubeObject);

const pod = (cluster: SimulatedCluster, name: string, metadata: object = {}): Promise<void> =>
  cluster.pod({ name, spec: { nodeName: 'n1' }, metadata: { ...metadata } });

describe('Stages of kwok', () => {
  it('take a pod over from its beginning to its end, and its kubelet leaves it to them', async () => {
    const cluster = await clusterWith({ begins, goes });
    await pod(cluster, 'p', { finalizers: ['example.com/kept'] });
    await cluster.run(4_000);
    expect(cluster.get('p')?.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
    await cluster.run(2_000);
    const { status } = cluster.get('p') as KubeObject;
    expect(status).toMatchObject({
      phase: 'Running',
      podIP: expect.stringMatching(/^10\.\d+\.\d+\.2$/),
      hostIP: expect.stringMatching(/^172\./),
    });
    expect(status?.containerStatuses).toMatchObject([{ name: 'app', image: 'app:1', ready: true, restartCount: 0 }]);
    expect(await cluster.simulation.reports()).toContain('Begun: it has begun');
    const { length } = cluster.appends;
    await cluster.run(3_600_000);
    expect(cluster.appends).toHaveLength(length);
    const deleted = cluster.delete('p');
    await cluster.run(1_000);
    await deleted;
    expect(cluster.get('p')).toBeUndefined();
    expect((await cluster.verify()).differ).toBe(0);
  });

  it('intervene in a life that the kubelet leads', async () => {
    const fails = {
      ...about,
      selector: {
        matchLabels: { chaos: 'true' },
        matchExpressions: [alive, { key: '.status.phase', operator: 'In', values: ['Running'] }],
      },
      delay: { durationMilliseconds: 1_000, durationFrom: { expressionFrom: '.metadata.annotations["chaos/after"]' } },
      next: { statusTemplate: 'phase: Failed\nreason: {{ index .metadata.annotations "chaos/why" | default "Chaos" }}' },
    };
    const cluster = await clusterWith({});
    await pod(cluster, 'spared');
    await pod(cluster, 'struck', { labels: { chaos: 'true' }, annotations: { 'chaos/after': '20s' } });
    await cluster.run(10_000);
    await stage(cluster, 'fails', fails);
    await cluster.run(5_000);
    expect(cluster.get('struck')?.status?.phase).toBe('Running');
    await cluster.run(10_000);
    expect(cluster.get('struck')?.status).toMatchObject({ phase: 'Failed', reason: 'Chaos' });
    expect(cluster.get('spared')?.status?.phase).toBe('Running');
  });

  it('are chosen by their weight, by a chance that is the same each time', async () => {
    const way = (phase: string, weight: number): object => ({
      ...about,
      weight,
      selector: {
        matchExpressions: [
          { key: '.status.conditions.[] | select( .type == "Ready" ) | .status', operator: 'In', values: ['True'] },
          { key: '.status.phase', operator: 'In', values: ['Running'] },
        ],
      },
      next: { patches: [{ subresource: 'status', root: 'status', template: `phase: ${phase}` }] },
    });
    const outcomes = async (): Promise<(string | undefined)[]> => {
      const cluster = await clusterWith({ a: way('Failed', 1), b: way('Succeeded', 2), c: way('Unknown', 0) });
      for (let index = 0; index < 12; index++) await pod(cluster, `p${index}`);
      await cluster.run(5_000);
      return Array.from({ length: 12 }, (_, index) => cluster.get(`p${index}`)?.status?.phase as string | undefined);
    };
    const first = await outcomes();
    expect(new Set(first)).toEqual(new Set(['Failed', 'Succeeded']));
    expect(await outcomes()).toEqual(first);
  });

  it('that cannot be read are told of at the pod', async () => {
    const cluster = await clusterWith({
      begins: { ...begins, next: { statusTemplate: '{{ range .spec.containers }}' }, delay: undefined },
    });
    await pod(cluster, 'p');
    await cluster.run(10_000);
    expect(await cluster.simulation.reports()).toEqual(expect.arrayContaining(['StageFailed: range has no end']));
  });
});
