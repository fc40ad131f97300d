import { describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import { SimulatedCluster, startOfTime } from '../simulated-cluster.fixture';

const nodeOf = (cluster: SimulatedCluster, name = 'node-1'): any => cluster.simulation.get('nodes', undefined, name);

describe('a Node that a client makes', () => {
  it('becomes Ready and looks like one', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.node('node-1', {
      capacity: { cpu: '8', memory: '32Gi', pods: '50', 'example.com/gpu': '1' },
      taints: [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'dedicated', effect: 'NoSchedule' },
      ],
      metadata: { labels: { 'topology.kubernetes.io/zone': 'a', 'kubernetes.io/arch': 'arm64' } } as never,
    });
    await cluster.run(0);
    const { metadata, status } = nodeOf(cluster);
    expect(metadata.labels).toEqual({
      'beta.kubernetes.io/arch': 'arm64',
      'beta.kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'arm64',
      'kubernetes.io/hostname': 'node-1',
      'kubernetes.io/os': 'linux',
      'topology.kubernetes.io/zone': 'a',
    });
    expect(status.capacity).toEqual({ cpu: '8', memory: '32Gi', pods: '50', 'example.com/gpu': '1', 'ephemeral-storage': '100Gi' });
    expect(status.allocatable).toEqual(status.capacity);
    expect(status.conditions.map(({ type, status: value, reason }: any) => [type, value, reason])).toEqual([
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID'],
      ['Ready', 'True', 'KubeletReady'],
    ]);
    expect(status.addresses).toEqual([
      { type: 'InternalIP', address: '172.18.0.2' },
      { type: 'Hostname', address: 'node-1' },
    ]);
    expect(status.nodeInfo).toMatchObject({
      kubeletVersion: 'v1.34.4',
      containerRuntimeVersion: 'containerd://2.1.4',
      architecture: 'arm64',
      operatingSystem: 'linux',
    });
    expect(status.daemonEndpoints).toEqual({ kubeletEndpoint: { Port: 10250 } });
    const reported = cluster.appends.flatMap(({ events }) =>
      events.filter(({ type }) => type === 'Reported').map(({ data }) => data.reason),
    );
    expect(reported).toEqual(['Starting', 'NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID']);
  });

  it('keeps what its client said', async () => {
    const cluster = await SimulatedCluster.start();
    const status = {
      capacity: { cpu: '2', memory: '4Gi', pods: '10' },
      allocatable: { cpu: '1900m' },
      addresses: [
        { type: 'InternalIP', address: '10.9.0.1' },
        { type: 'Hostname', address: 'host' },
      ],
      nodeInfo: { kubeletVersion: 'v1.30.0', osImage: '' },
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: '2020-01-01T00:00:00Z' }],
    };
    await cluster.node('node-1', { status });
    await cluster.run(0);
    const node = nodeOf(cluster);
    expect(node.status).toMatchObject({
      addresses: status.addresses,
      nodeInfo: { kubeletVersion: 'v1.30.0', osImage: 'Debian GNU/Linux 12 (bookworm)' },
    });
    expect(node.status.allocatable).toMatchObject({ cpu: '1900m', memory: '4Gi', pods: '10' });
    expect(node.status.conditions.at(-1)).toMatchObject({ type: 'Ready', lastTransitionTime: '2020-01-01T00:00:00Z' });
  });

  it('gets an address of its own, also after a restart of the kubelets', async () => {
    const cluster = await SimulatedCluster.start();
    await Promise.all(['a', 'b', 'c'].map((name) => cluster.node(name)));
    await cluster.run(0);
    await cluster.restart();
    await cluster.node('d');
    await cluster.run(0);
    const addresses = ['a', 'b', 'c', 'd'].map((name) => nodeOf(cluster, name).status.addresses[0].address);
    expect(addresses).toEqual(['172.18.0.2', '172.18.0.3', '172.18.0.4', '172.18.0.5']);
    const { differ, notDerivable, differences } = await cluster.verify();
    expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
  });

  it('allows what is added to its capacity later', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.node('node-1');
    await cluster.run(0);
    const answer = await cluster.write({
      verb: 'patch',
      target: { resource: 'nodes', name: 'node-1' },
      subresource: 'status',
      patchType: 'merge',
      patch: { status: { capacity: { 'example.com/dongle': '4' } } },
    });
    expect(answer.kind).toBe('written');
    await cluster.run(0);
    expect(nodeOf(cluster).status.allocatable['example.com/dongle']).toBe('4');
  });

  it('comes back from a silence as Ready', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.node('node-1');
    await cluster.run(0);
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'node-1' })]);
    const unknown = nodeOf(cluster).status.conditions.map((condition: any) => ({
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
    }));
    const target = { resource: 'nodes', name: 'node-1' };
    const facts = [fact('StatusUpdated', { patch: [{ op: 'replace', path: '/status/conditions', value: unknown as never }] })];
    await cluster.write({ verb: 'record', target, uid: nodeOf(cluster).metadata.uid, facts });
    await cluster.run(60_000);
    expect(nodeOf(cluster).status.conditions.at(-1).status).toBe('Unknown');
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatResumed', { node: 'node-1' })]);
    await cluster.run(0);
    expect(nodeOf(cluster).status.conditions.at(-1)).toMatchObject({
      type: 'Ready',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:01:00Z',
    });
  });
});

describe('the Lease of a node', () => {
  const lease = (cluster: SimulatedCluster): any => cluster.simulation.get('leases.coordination.k8s.io', 'kube-node-lease', 'node-1');
  const namespace = (name: string) => ({
    metadata: { name, uid: name, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });

  it('is made once, as soon as its namespace is there, and not renewed', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.node('node-1');
    await cluster.run(5_000);
    expect(lease(cluster)).toBeUndefined();
    await cluster.simulation.put('namespaces', namespace('kube-node-lease'));
    await cluster.run(0);
    expect(lease(cluster)).toMatchObject({
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-1', uid: nodeOf(cluster).metadata.uid }] },
      spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:05.250000Z' },
    });
    const appended = cluster.appends.length;
    await cluster.run(3_600_000);
    expect(cluster.appends.length).toBe(appended);
    expect(cluster.simulation.clock.now()).toBe(startOfTime + 3_605_000);
  });

  it('is renewed for as long as somebody watches, also over a restart', async () => {
    const cluster = await SimulatedCluster.start();
    await cluster.simulation.put('namespaces', namespace('kube-node-lease'));
    await cluster.node('node-1');
    await cluster.run(60_000);
    await cluster.simulation.record('kubelet-decisions', [fact('HeartbeatsWanted', {})]);
    await cluster.run(30_000);
    expect(lease(cluster).spec).toMatchObject({ holderIdentity: 'node-1', renewTime: '2026-01-01T00:01:22.250000Z' });
    await cluster.restart();
    await cluster.node('late');
    await cluster.run(30_000);
    const late = cluster.simulation.get('leases.coordination.k8s.io', 'kube-node-lease', 'late');
    expect(late?.spec?.renewTime).toBe('2026-01-01T00:01:52.250000Z');
    await cluster.simulation.record('kubelet-decisions', [fact('HeartbeatsUnwanted', {})]);
    await cluster.run(0);
    const appended = cluster.appends.length;
    await cluster.run(600_000);
    expect(cluster.appends.length).toBe(appended);
    const { differ, notDerivable, otherVersion, differences } = await cluster.verify();
    expect({ differ, notDerivable, otherVersion, differences }).toEqual({ differ: 0, notDerivable: 0, otherVersion: 0, differences: [] });
  });

  it('is renewed every ten seconds where heartbeats are asked for, and not while the kubelet is silent', async () => {
    const cluster = await SimulatedCluster.start({ heartbeats: true });
    await cluster.simulation.put('namespaces', namespace('kube-node-lease'));
    await cluster.node('node-1');
    await cluster.node('unattended', { metadata: { annotations: { 'kubereel.dev/kubelet': 'none' } } as never });
    await cluster.run(9_000);
    expect(lease(cluster).spec.renewTime).toBe('2026-01-01T00:00:00.250000Z');
    await cluster.run(51_000);
    expect(lease(cluster).spec).toMatchObject({ holderIdentity: 'node-1', renewTime: '2026-01-01T00:01:00.250000Z' });
    const renewals = cluster.appends.filter(
      ({ change }) => change?.resource === 'leases.coordination.k8s.io' && change.type === 'MODIFIED',
    );
    expect(renewals.map(({ time }) => time - startOfTime)).toEqual([10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);

    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatStopped', { node: 'node-1' })]);
    await cluster.run(40_000);
    expect(lease(cluster).spec.renewTime).toBe('2026-01-01T00:01:00.250000Z');
    await cluster.simulation.record('kubelet-decisions', [fact('NodeHeartbeatResumed', { node: 'node-1' })]);
    await cluster.run(0);
    expect(lease(cluster).spec.renewTime).toBe('2026-01-01T00:01:40.250000Z');

    await cluster.restart();
    await cluster.run(10_000);
    expect(lease(cluster).spec.renewTime).toBe('2026-01-01T00:01:50.250000Z');
    const { agreed, differ, notDerivable, otherVersion, differences } = await cluster.verify();
    expect({ differ, notDerivable, otherVersion, differences }).toEqual({ differ: 0, notDerivable: 0, otherVersion: 0, differences: [] });
    expect(agreed).toBeGreaterThan(8);
  });
});
