import { describe, expect, it } from 'vitest';
import { reconcilerController, type Controller } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { Simulation } from '#libs/testing';
import { clusterWorld, makeNamespace } from '../cluster-world.fixture';
import { endpointsController } from './endpoints-controller';
import { endpointSliceController } from './endpointslice-controller';
import { endpointSliceMirroring } from './mirroring-controller';

const slices = 'endpointslices.discovery.k8s.io';

async function world(): Promise<Simulation> {
  const controllers = [endpointsController, endpointSliceController, endpointSliceMirroring].map(
    (reconciler) => reconcilerController(reconciler as never) as Controller,
  );
  const made = await clusterWorld(controllers);
  await makeNamespace(made, 'web');
  return made;
}

async function node(cluster: Simulation, name: string, zone: string, cpu = '4'): Promise<void> {
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T12:00:00Z' }];
  const labels = { 'topology.kubernetes.io/zone': zone };
  const status = { capacity: { cpu }, allocatable: { cpu }, conditions };
  await cluster.create('nodes', undefined, { metadata: { name, labels }, spec: {}, status });
}

/** A pod as it is when it runs and is reached at `10.0.X.Y`. */
async function pod(cluster: Simulation, number: number, on: string, ready = true): Promise<void> {
  const stored = podObject(number, on, ready);
  await cluster.put('pods', stored);
  await cluster.executive.settle();
}

function podObject(number: number, on: string, ready = true): KubeObject {
  const ip = `10.0.${Math.floor(number / 250)}.${number % 250}`;
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T12:00:00Z' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `p-${String(number).padStart(4, '0')}`,
      namespace: 'web',
      uid: `uid-${number}`,
      creationTimestamp: '2026-01-01T12:00:00Z',
      labels: { app: 'web' },
    },
    spec: { nodeName: on, containers: [{ name: 'c', image: 'app:1' }] },
    status: { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions },
  };
}

const service = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'web', ...metadata },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});

const sizes = (cluster: Simulation): number[] =>
  cluster
    .list(slices, 'web')
    .map(({ endpoints }) => (endpoints ?? []).length)
    .sort((a, b) => a - b);
const zonesOf = (cluster: Simulation): string[] =>
  cluster.list(slices, 'web').flatMap(({ endpoints }) => endpoints.map(({ hints }: KubeObject) => hints?.forZones?.[0]?.name ?? '-'));
const clean = { differ: 0, notDerivable: 0, differences: [] };

describe('endpoints of a Service', () => {
  it('are in slices of a hundred at most, which fill up before another one is made', async () => {
    const cluster = await world();
    await node(cluster, 'n', 'z');
    for (let number = 0; number < 130; number++) await cluster.put('pods', podObject(number, 'n'));
    await cluster.create('services', 'web', service());
    expect(sizes(cluster)).toEqual([30, 100]);
    for (let number = 130; number < 205; number++) await pod(cluster, number, 'n');
    expect(sizes(cluster)).toEqual([5, 100, 100]);
    expect(cluster.get('endpoints', 'web', 'web')?.subsets[0].addresses).toHaveLength(205);
    await cluster.patch('services', 'web', 'web', { spec: { ports: [{ port: 80, targetPort: 8081 }] } });
    expect(sizes(cluster)).toEqual([5, 100, 100]);
    expect(cluster.list(slices, 'web').map(({ ports }) => ports[0].port)).toEqual([8081, 8081, 8081]);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('are a thousand in Endpoints at most, ready ones first', async () => {
    const cluster = await world();
    await node(cluster, 'n', 'z');
    for (let number = 0; number < 1_010; number++) await cluster.put('pods', podObject(number, 'n', number % 100 !== 0));
    await cluster.create('services', 'web', service());
    const { subsets, metadata } = cluster.get('endpoints', 'web', 'web') as KubeObject;
    expect(subsets).toHaveLength(1);
    expect([subsets[0].addresses.length, subsets[0].notReadyAddresses.length]).toEqual([999, 1]);
    expect(metadata.annotations).toMatchObject({ 'endpoints.kubernetes.io/over-capacity': 'truncated' });
    const [gone] = cluster.list('pods', 'web');
    await cluster.delete('pods', 'web', gone?.metadata.name as string, 0);
    await cluster.run(10);
    expect(sizes(cluster).reduce((sum, size) => sum + size, 0)).toBe(1_009);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('leave out a pod whose node is not there, which is told and tried again ever more slowly', async () => {
    const cluster = await world();
    await pod(cluster, 1, 'lost');
    await cluster.create('services', 'web', service());
    await cluster.run(8_000);
    const message = 'Error updating Endpoint Slices for Service web/web: skipping Pod p-0001 for Service web/web: Node lost Not Found';
    expect(await cluster.reports()).toEqual(Array(4).fill(`FailedToUpdateEndpointSlices: ${message}`));
    expect(sizes(cluster)).toEqual([0]);
    await node(cluster, 'lost', 'z');
    await cluster.run(8_000);
    expect(sizes(cluster)).toEqual([1]);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('begin again after a kill without a write where nothing has changed', async () => {
    const cluster = await world();
    await node(cluster, 'n', 'z');
    await pod(cluster, 1, 'n');
    await cluster.create('services', 'web', service());
    const before = cluster.state.list(slices, 'web');
    const versions = [...before].map(({ metadata }) => metadata.resourceVersion);
    await cluster.restart();
    await cluster.run(60_000);
    expect(cluster.list(slices, 'web').map(({ metadata }) => metadata.resourceVersion)).toEqual(versions);
    await pod(cluster, 2, 'n');
    expect(sizes(cluster)).toEqual([2]);
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('go when their Service does', async () => {
    const cluster = await world();
    await cluster.create('services', 'web', service());
    expect(cluster.get('endpoints', 'web', 'web')).toBeDefined();
    await cluster.delete('services', 'web', 'web');
    await cluster.run(10);
    expect(cluster.get('endpoints', 'web', 'web')).toBeUndefined();
  });
});

describe('hints of an endpoint', () => {
  it('name its zone where near endpoints are preferred, and go when they no longer are', async () => {
    const cluster = await world();
    await node(cluster, 'a', 'z1');
    await pod(cluster, 1, 'a');
    await cluster.create('services', 'web', service({ trafficDistribution: 'PreferSameNode' }));
    const hints = (): unknown => cluster.list(slices, 'web')[0]?.endpoints[0].hints;
    expect(hints()).toEqual({ forZones: [{ name: 'z1' }], forNodes: [{ name: 'a' }] });
    await cluster.patch('services', 'web', 'web', { spec: { trafficDistribution: 'PreferClose' } });
    expect(hints()).toEqual({ forZones: [{ name: 'z1' }] });
    await cluster.patch('services', 'web', 'web', { spec: { trafficDistribution: null } });
    expect(hints()).toBeUndefined();
    expect(await cluster.verify()).toMatchObject(clean);
  });

  it('share endpoints out by the processors of zones, told when that begins, cannot be done and ends', async () => {
    const cluster = await world();
    await node(cluster, 'a', 'z1');
    await node(cluster, 'b', 'z2');
    for (const number of [1, 2, 3, 4]) await pod(cluster, number, 'a');
    const aware = { annotations: { 'service.kubernetes.io/topology-mode': 'Auto' } };
    await cluster.create('services', 'web', service({}, aware));
    expect(zonesOf(cluster).sort()).toEqual(['z1', 'z1', 'z2', 'z2']);
    await cluster.delete('nodes', undefined, 'b');
    await cluster.run(10);
    expect(zonesOf(cluster)).toEqual(['-', '-', '-', '-']);
    expect(await cluster.reports()).toEqual([
      'TopologyAwareHintsEnabled: Topology Aware Hints has been enabled, addressType: IPv4',
      'TopologyAwareHintsDisabled: Insufficient Node information: allocatable CPU or zone not specified on one or more nodes, addressType: IPv4',
    ]);
    expect(await cluster.verify()).toMatchObject(clean);
  });
});
