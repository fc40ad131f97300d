import { describe, expect, it } from 'vitest';
import { fact } from '#libs/events';
import { SimulatedCluster } from '../simulated-cluster.fixture';

const status = (cluster: SimulatedCluster, name: string): any => cluster.get(name)?.status;
const ready = (cluster: SimulatedCluster, name = 'node-1'): any =>
  (cluster.simulation.get('nodes', undefined, name) as any).status.conditions.find(({ type }: any) => type === 'Ready');
const reports = (cluster: SimulatedCluster, about: string): string[] =>
  cluster.appends.flatMap(({ events }) =>
    events.filter(({ type, data }) => type === 'Reported' && data.name === about).map(({ data }) => data.reason as string),
  );

async function withNode(): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start();
  await cluster.node('node-1');
  await cluster.run(0);
  return cluster;
}

const befall = (cluster: SimulatedCluster, ...facts: ReturnType<typeof fact>[]): Promise<unknown> =>
  cluster.simulation.record('kubelet-decisions', facts);

async function proven(cluster: SimulatedCluster): Promise<void> {
  const { differ, notDerivable, differences } = await cluster.verify();
  expect({ differ, notDerivable, differences }).toEqual({ differ: 0, notDerivable: 0, differences: [] });
}

describe('a container runtime that is not ready', () => {
  it('makes the node not ready at the next look, 10 s from one to the next, and is called down after 30 s', async () => {
    const cluster = await withNode();
    await cluster.run(1_000);
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', runtime: 'down' }));
    await cluster.run(8_000);
    expect(ready(cluster).status).toBe('True');
    await cluster.run(1_000);
    expect(ready(cluster)).toMatchObject({ status: 'False', reason: 'KubeletNotReady', lastTransitionTime: '2026-01-01T00:00:10Z' });
    expect(ready(cluster).message).toMatch(/^container runtime not ready: /);
    await cluster.run(30_000);
    expect(ready(cluster).message).toMatch(/^\[container runtime is down, container runtime not ready: /);
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', runtime: 'up' }));
    await cluster.run(10_000);
    expect(ready(cluster)).toMatchObject({ status: 'True', message: 'kubelet is posting ready status' });
    expect(reports(cluster, 'node-1').filter((reason) => reason.startsWith('Node') && reason.endsWith('Ready'))).toEqual([
      'NodeNotReady',
      'NodeReady',
    ]);
    await proven(cluster);
  });

  it('leaves pods as they are until the kubelet finds it ready', async () => {
    const cluster = await withNode();
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', runtime: 'down' }));
    await cluster.pod({ name: 'late', spec: { nodeName: 'node-1' } });
    await cluster.run(60_000);
    expect(status(cluster, 'late').containerStatuses).toBeUndefined();
    await cluster.run(1_000);
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', runtime: 'up' }));
    await cluster.run(10_000);
    expect(status(cluster, 'late').phase).toBe('Running');
    await proven(cluster);
  });
});

describe('a network that is not ready', () => {
  it('keeps pods with a network of their own waiting, and tells of them', async () => {
    const cluster = await withNode();
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', network: 'down' }));
    await cluster.pod({ name: 'own', spec: { nodeName: 'node-1' } });
    await cluster.pod({ name: 'host', spec: { nodeName: 'node-1', hostNetwork: true } });
    await cluster.run(20_000);
    expect([status(cluster, 'own').phase, status(cluster, 'host').phase]).toEqual(['Pending', 'Running']);
    expect(reports(cluster, 'own')).toContain('NetworkNotReady');
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', network: 'up' }));
    await cluster.run(5_000);
    expect(status(cluster, 'own').phase).toBe('Running');
    await proven(cluster);
  });

  it('writes no endless log', async () => {
    const cluster = await withNode();
    await befall(cluster, fact('RuntimeStateChanged', { node: 'node-1', network: 'down' }));
    await cluster.pod({ name: 'own', spec: { nodeName: 'node-1' } });
    await cluster.run(3_600_000);
    expect(cluster.appends.length).toBeLessThan(60);
  });
});

describe('a kubelet that begins anew', () => {
  it('gives pods that are going their full grace again', async () => {
    const cluster = await withNode();
    await cluster.pod({
      name: 'p',
      spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 20 },
      annotations: { 'kubereel.dev/on-term': 'ignore' },
    });
    await cluster.run(5_000);
    await cluster.delete('p');
    await cluster.run(15_000);
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(19_000);
    expect(status(cluster, 'p').containerStatuses[0].state.running).toBeDefined();
    await cluster.run(5_000);
    expect(cluster.get('p')).toBeUndefined();
    await proven(cluster);
  });

  it('says so, and what became of the machine', async () => {
    const cluster = await withNode();
    const bootOf = (): string => (cluster.simulation.get('nodes', undefined, 'node-1') as any).status.nodeInfo.bootID;
    const first = bootOf();
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_000);
    expect(bootOf()).toBe(first);
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1', reboot: true }));
    await cluster.run(1_000);
    expect(bootOf()).not.toBe(first);
    expect(reports(cluster, 'node-1').filter((reason) => reason === 'Starting' || reason === 'Rebooted')).toEqual([
      'Starting',
      'Starting',
      'Starting',
      'Rebooted',
    ]);
    await proven(cluster);
  });

  it('finds every container of a machine that went down ended as nobody saw it, and runs pods that may be restarted anew', async () => {
    const cluster = await withNode();
    await cluster.pod({ name: 'always', spec: { nodeName: 'node-1' } });
    await cluster.pod({ name: 'never', spec: { nodeName: 'node-1', restartPolicy: 'Never' } });
    await cluster.run(5_000);
    const rebooted = cluster.simulation.clock.now();
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1', reboot: true }));
    await cluster.run(2_000);
    const [always] = status(cluster, 'always').containerStatuses;
    expect(always).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 255, reason: 'Unknown' } } });
    expect(always.state.running.startedAt >= new Date(rebooted).toISOString().slice(0, 19)).toBe(true);
    expect(status(cluster, 'never')).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ restartCount: 0, state: { terminated: { exitCode: 255, reason: 'Unknown' } } }],
    });
    await proven(cluster);
  });

  it('has forgotten how long a container had to wait, and begins the series anew', async () => {
    const cluster = await withNode();
    await cluster.pod({
      name: 'p',
      spec: { nodeName: 'node-1' },
      annotations: { 'kubereel.dev/run-for': '1s', 'kubereel.dev/exit-code': '1' },
    });
    await cluster.run(10_000);
    const restartCount = (): number => status(cluster, 'p').containerStatuses[0].restartCount;
    const waiting = (): string => status(cluster, 'p').containerStatuses[0].state.waiting?.message;
    expect(restartCount()).toBe(1);
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_000);
    expect(restartCount()).toBe(2);
    await cluster.run(13_000);
    expect([restartCount(), waiting()]).toEqual([2, expect.stringContaining('back-off 10s ')]);
    await proven(cluster);
  });

  it('asks for an image anew, and does not know what held its container up', async () => {
    const cluster = await withNode();
    await cluster.pod({
      name: 'p',
      spec: { nodeName: 'node-1', containers: [{ name: 'app', image: 'lost:1' }] },
      annotations: { 'kubereel.dev/images': 'lost:1 absent; always fails NotFound "not found"' },
    });
    await cluster.run(40_000);
    const reason = (): string => status(cluster, 'p').containerStatuses[0].state.waiting.reason;
    expect(reason()).toBe('ImagePullBackOff');
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(500);
    expect(reason()).toBe('ContainerCreating');
    await cluster.run(2_000);
    expect(reason()).toBe('ErrImagePull');
    await proven(cluster);
  });

  it('ends what is left of a pod that was taken away meanwhile, once it looks around, also after a start of the program', async () => {
    const cluster = await withNode();
    await cluster.pod({ name: 'p', spec: { nodeName: 'node-1' } });
    await cluster.run(5_000);
    await befall(cluster, fact('NodeHeartbeatStopped', { node: 'node-1' }));
    await cluster.simulation.write({
      verb: 'delete',
      target: { resource: 'pods', namespace: 'default', name: 'p' },
      options: { gracePeriodSeconds: 0 },
    });
    await cluster.run(5_000);
    expect(cluster.get('p')).toBeUndefined();
    await cluster.restart();
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_900);
    expect(reports(cluster, 'p')).toEqual([]);
    await cluster.run(100);
    expect(reports(cluster, 'p')).toEqual(['Killing']);
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(5_000);
    expect(reports(cluster, 'p')).toEqual(['Killing']);
    await proven(cluster);
  });

  it('does not know the address of a pod that was over', async () => {
    const cluster = await withNode();
    const spec = { nodeName: 'node-1', restartPolicy: 'Never' };
    await cluster.pod({ name: 'over', spec, annotations: { 'kubereel.dev/run-for': '1s' } });
    await cluster.pod({ name: 'runs', spec });
    await cluster.run(5_000);
    expect(status(cluster, 'over')).toMatchObject({ phase: 'Succeeded', podIP: expect.any(String) });
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_000);
    expect(status(cluster, 'over')).toMatchObject({ phase: 'Succeeded' });
    expect(status(cluster, 'over')).not.toHaveProperty('podIP');
    expect(status(cluster, 'over')).not.toHaveProperty('podIPs');
    expect(status(cluster, 'runs').podIP).toEqual(expect.any(String));
    await proven(cluster);
  });

  it('says it once, whoever plays it is started again', async () => {
    const cluster = await withNode();
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_000);
    expect(reports(cluster, 'node-1').filter((reason) => reason === 'Starting')).toHaveLength(2);
    await cluster.restart();
    await cluster.run(1_000);
    expect(reports(cluster, 'node-1')).toEqual([]);
  });
});

describe('a node that is shut down', () => {
  const periods = [
    { priority: 0, shutdownGracePeriodSeconds: 20 },
    { priority: 2_000_000_000, shutdownGracePeriodSeconds: 10 },
  ];

  it('ends its pods by priority, each stage as soon as the one before is over, and is off then', async () => {
    const cluster = await withNode();
    const stubborn = { 'kubereel.dev/on-term': 'ignore' };
    await cluster.pod({ name: 'web', spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 5 }, annotations: stubborn });
    await cluster.pod({
      name: 'critical',
      spec: { nodeName: 'node-1', priority: 2_000_000_000, terminationGracePeriodSeconds: 60 },
      annotations: stubborn,
    });
    await cluster.run(2_000);
    await befall(cluster, fact('NodeShutdownBegun', { node: 'node-1', periods }));
    await cluster.run(4_000);
    expect(status(cluster, 'web').containerStatuses[0].state.running).toBeDefined();
    await cluster.run(3_000);
    expect(status(cluster, 'web')).toMatchObject({
      phase: 'Failed',
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
    });
    expect(status(cluster, 'critical').containerStatuses[0].state.running).toBeDefined();
    await cluster.run(8_000);
    expect(ready(cluster)).toMatchObject({ status: 'False', message: 'node is shutting down' });
    await cluster.run(4_000);
    expect(status(cluster, 'critical').phase).toBe('Failed');
    expect(cluster.simulation.state.decisions.nodes.of('node-1').silentSince).toBeDefined();
    await proven(cluster);
  });

  it('takes no pod any more, and does again once it is back', async () => {
    const cluster = await withNode();
    await cluster.pod({
      name: 'slow',
      spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 60 },
      annotations: { 'kubereel.dev/on-term': 'ignore' },
    });
    await cluster.run(2_000);
    await befall(cluster, fact('NodeShutdownBegun', { node: 'node-1', periods }));
    await cluster.pod({ name: 'late', spec: { nodeName: 'node-1' } });
    await cluster.run(1_000);
    expect(status(cluster, 'late')).toMatchObject({ phase: 'Failed', reason: 'NodeShutdown' });
    await cluster.run(60_000);
    await befall(cluster, fact('KubeletRestarted', { node: 'node-1' }));
    await cluster.run(1_000);
    expect(ready(cluster).status).toBe('True');
    await cluster.pod({ name: 'again', spec: { nodeName: 'node-1' } });
    await cluster.run(2_000);
    expect(status(cluster, 'again').phase).toBe('Running');
  });
});
