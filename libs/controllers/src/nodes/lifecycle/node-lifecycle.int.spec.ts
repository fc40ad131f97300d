import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import { formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld } from '../../cluster-world.fixture';
import { nodeLifecycle } from './node-lifecycle-controller';

const world = (): Promise<Simulation> => clusterWorld([reconcilerController(nodeLifecycle()) as Controller]);

/** A node that a client speaks for. */
async function foreign(cluster: Simulation, name: string, ready?: 'True' | 'False'): Promise<void> {
  const metadata = { name, annotations: { 'kubereel.dev/kubelet': 'none' } };
  await cluster.create('nodes', undefined, { metadata });
  if (ready) await post(cluster, name, ready);
}

async function post(cluster: Simulation, name: string, status: string): Promise<void> {
  const now = formatTime(cluster.clock.now());
  const conditions = [{ type: 'Ready', status, lastHeartbeatTime: now, lastTransitionTime: now, reason: 'Said', message: 'so' }];
  const patch = { status: { conditions } };
  await cluster.write({ verb: 'patch', target: { resource: 'nodes', name }, subresource: 'status', patchType: 'strategic', patch });
}

const nodeOf = (cluster: Simulation, name: string): KubeObject => cluster.get('nodes', undefined, name) as KubeObject;
const ready = (cluster: Simulation, name: string): JsonObject | undefined =>
  (nodeOf(cluster, name).status?.conditions as (JsonObject & { type: string })[] | undefined)?.find(({ type }) => type === 'Ready');
const taints = (cluster: Simulation, name: string): string[] =>
  ((nodeOf(cluster, name).spec?.taints ?? []) as { key: string; effect: string }[]).map(({ key, effect }) => `${key}:${effect}`);

describe('a node that a client speaks for', () => {
  it('is unknown a minute after it was made, if nothing is ever said of it', async () => {
    const cluster = await world();
    await foreign(cluster, 'other', 'True');
    await cluster.run(10_000);
    await foreign(cluster, 'never');
    await cluster.run(30_000);
    await post(cluster, 'other', 'True');
    await cluster.run(29_000);
    expect(ready(cluster, 'never')).toBeUndefined();
    await cluster.run(7_000);
    expect(ready(cluster, 'never')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
      message: 'Kubelet never posted node status.',
    });
    expect(ready(cluster, 'other')).toMatchObject({ status: 'True' });
  });

  it('is unknown when it has been silent for 50 s, and is heard by its status as well as by its Lease', async () => {
    const cluster = await world();
    await foreign(cluster, 'node', 'True');
    for (let i = 0; i < 4; i++) {
      await cluster.run(40_000);
      await post(cluster, 'node', 'True');
    }
    expect(ready(cluster, 'node')).toMatchObject({ status: 'True' });
    const namespace = 'kube-node-lease';
    await cluster.create('namespaces', undefined, { metadata: { name: namespace } });
    const spec = (): JsonObject => ({ holderIdentity: 'node', renewTime: formatTime(cluster.clock.now()).replace('Z', '.000000Z') });
    await cluster.create('leases.coordination.k8s.io', namespace, { metadata: { name: 'node', namespace }, spec: spec() });
    for (let i = 0; i < 4; i++) {
      await cluster.run(40_000);
      const target = { resource: 'leases.coordination.k8s.io', namespace, name: 'node' };
      await cluster.write({ verb: 'patch', target, patchType: 'merge', patch: { spec: spec() } });
    }
    expect(ready(cluster, 'node')).toMatchObject({ status: 'True' });
    await cluster.run(61_000);
    expect(ready(cluster, 'node')).toMatchObject({ status: 'Unknown', message: 'Kubelet stopped posting node status.' });
    expect(taints(cluster, 'node')).toContain('node.kubernetes.io/unreachable:NoSchedule');
    await post(cluster, 'node', 'True');
    await cluster.run(6_000);
    expect(taints(cluster, 'node')).toEqual([]);
  });
});

describe('a node whose kubelet is simulated', () => {
  it('keeps the taint that the API gave it when its kubelet speaks at once', async () => {
    const cluster = await world();
    await cluster.create('nodes', undefined, { metadata: { name: 'node' } });
    await post(cluster, 'node', 'False');
    await cluster.run(6_000);
    expect(nodeOf(cluster, 'node').spec?.taints).toEqual([{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
    await post(cluster, 'node', 'True');
    await cluster.run(6_000);
    expect(taints(cluster, 'node')).toEqual([]);
  });

  it('loses it when nobody speaks of the node', async () => {
    const cluster = await world();
    await cluster.create('nodes', undefined, { metadata: { name: 'node' } });
    await cluster.run(1_000);
    expect(ready(cluster, 'node')).toBeUndefined();
    expect(taints(cluster, 'node')).toEqual([]);
  });
});
