import { describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { SimulatedCluster, startOfTime, type PodInput } from '../simulated-cluster.fixture';
import { nodeMetrics, podMetrics } from './resource-metrics';

const mebibyte = 1_048_576;
const capacity = { memory: '1Gi', 'ephemeral-storage': '10Gi', cpu: '2', pods: '50' };

async function clusterWith(...pods: (Partial<PodInput> & { name: string })[]): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start({});
  await cluster.node('node-1', { capacity });
  await cluster.run(0);
  for (const pod of pods) await cluster.pod({ ...pod, spec: { nodeName: 'node-1', ...pod.spec } });
  return cluster;
}

/** `CONTAINER CPU(millicores) MEMORY(MiB) WINDOW` of each; undefined: nothing is known of the pod. */
function shown(cluster: SimulatedCluster, name: string): string[] | undefined {
  const { state, clock } = cluster.simulation;
  const found = podMetrics(state, cluster.get(name) as KubeObject, clock.now());
  return found?.containers.map(({ name, cpu, memory, windowMs }) => `${name} ${cpu / 1e6}m ${memory / mebibyte}Mi ${windowMs / 1_000}s`);
}

function ofNode(cluster: SimulatedCluster): string | undefined {
  const { state, clock } = cluster.simulation;
  const found = nodeMetrics(state, 'node-1', clock.now());
  return found && `${found.cpu / 1e6}m ${found.memory / mebibyte}Mi`;
}

describe('what a metrics server would say', () => {
  it('is the mean of its last window, once a container was there for ten seconds of it', async () => {
    const annotations = { 'kubereel.dev/cpu': '100m; from 20s 400m', 'kubereel.dev/memory': '64Mi' };
    const cluster = await clusterWith({ name: 'web', annotations });
    // It starts at 0.55 s; questions come at 15, 30 and 45 s.
    await cluster.run(14_700);
    expect(shown(cluster, 'web')).toBeUndefined();
    await cluster.run(100);
    expect(shown(cluster, 'web')).toEqual(['app 100m 64Mi 14.45s']);
    await cluster.run(15_000);
    // 5.55 s of the window at 100m, the rest at 400m.
    expect(shown(cluster, 'web')).toEqual([expect.stringMatching(/^app 289m 64Mi 15s$/)]);
    await cluster.run(15_000);
    expect(shown(cluster, 'web')).toEqual(['app 400m 64Mi 15s']);
    expect(ofNode(cluster)).toBe('400m 64Mi');
  });

  it('is never more of the processor than a limit gives, or the node has; what others use of its memory counts on the node', async () => {
    const cluster = await clusterWith(
      {
        name: 'bound',
        annotations: { 'kubereel.dev/cpu': '900m' },
        spec: { containers: [{ name: 'app', image: 'a', resources: { limits: { cpu: '250m' } } }] },
      },
      { name: 'hungry', annotations: { 'kubereel.dev/cpu': '9' } },
    );
    await cluster.simulation.record('kubelet-decisions', [
      fact('NodeLoadChanged', { node: 'node-1', memoryBytes: 100 * mebibyte, diskBytes: 0 }),
    ]);
    await cluster.run(46_000);
    expect(shown(cluster, 'bound')).toEqual(['app 250m 1Mi 15s']);
    expect(ofNode(cluster)).toBe('2000m 102Mi');
  });

  it('leaves out a pod of which a container has just begun, one that is over, and nodes that nobody hears of', async () => {
    const cluster = await clusterWith(
      {
        name: 'restarts',
        annotations: { 'kubereel.dev/app.run-for': '26s' },
        spec: {
          containers: [
            { name: 'app', image: 'a' },
            { name: 'other', image: 'b' },
          ],
        },
      },
      { name: 'over', annotations: { 'kubereel.dev/run-for': '20s' }, spec: { restartPolicy: 'Never' } },
    );
    await cluster.run(16_000);
    expect(shown(cluster, 'restarts')).toHaveLength(2);
    expect(shown(cluster, 'over')).toHaveLength(1);
    await cluster.run(15_000);
    expect(cluster.get('restarts')?.status).toMatchObject({ containerStatuses: [{ restartCount: 1 }, {}] });
    expect(shown(cluster, 'restarts')).toBeUndefined();
    expect(shown(cluster, 'over')).toBeUndefined();
    expect(ofNode(cluster)).toBeDefined();
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'node-1' })]);
    expect(ofNode(cluster)).toBeUndefined();
  });

  it('is told of a node when it has been asked twice', async () => {
    const cluster = await clusterWith();
    // The time of its making is known in whole seconds: 0 s.
    expect(startOfTime % 15_000).toBe(250);
    await cluster.run(14_700);
    expect(ofNode(cluster)).toBeUndefined();
    await cluster.run(100);
    expect(ofNode(cluster)).toBe('0m 0Mi');
  });
});
