import { describe, expect, it } from 'vitest';
import type { WriteResult } from '#libs/control-loop';
import { SimulatedCluster } from '../../../simulated-cluster.fixture';

interface Asked {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

/** A node of 4 cpu and 4Gi, with a pod `web` that has run for a second. */
async function withPod(resources: Asked, annotations: Record<string, string> = {}, more: object = {}): Promise<SimulatedCluster> {
  const cluster = await SimulatedCluster.start();
  const capacity = { cpu: '4', memory: '4Gi', pods: '10' };
  await cluster.node('node-1', { capacity, allocatable: capacity });
  await cluster.run(0);
  await cluster.pod({ name: 'web', annotations, spec: specAsking(resources, more), qosClass: 'Burstable' });
  await cluster.run(1000);
  return cluster;
}

const specAsking = (resources: Asked, more: object = {}): Record<string, unknown> => ({
  nodeName: 'node-1',
  containers: [{ name: 'app', image: 'app:1', resources, ...more }],
});

function resize(cluster: SimulatedCluster, resources: Asked, name = 'web'): Promise<WriteResult> {
  const patch = { spec: { containers: [{ name: 'app', resources }] } };
  const target = { resource: 'pods', namespace: 'default', name };
  return cluster.write({ verb: 'patch', target, subresource: 'resize', patchType: 'strategic', patch: patch as never });
}

const conditions = (cluster: SimulatedCluster, name = 'web'): string[] => {
  const found = (cluster.get(name)?.status?.conditions ?? []) as { type: string; reason?: string; message?: string }[];
  const ofResize = found.filter(({ type }) => type.startsWith('PodResize'));
  return ofResize.map(({ type, reason = '', message = '' }) => `${type} ${reason} ${message}`.trim());
};

const container = (cluster: SimulatedCluster, name = 'web'): any => cluster.get(name)?.status.containerStatuses[0];

const told = (cluster: SimulatedCluster): string[] =>
  cluster.appends.flatMap(({ events }) =>
    events.flatMap(({ type, data }) =>
      type === 'Reported' && data.resource === 'pods' ? [`${data.reason as string}: ${data.message as string}`] : [],
    ),
  );

describe('a running pod is asked to take other resources', () => {
  it('sets them aside at once, has them at the next look at the runtime, and says so', async () => {
    const cluster = await withPod({ requests: { cpu: '500m' }, limits: { cpu: '1' } });
    await resize(cluster, { requests: { cpu: '1' }, limits: { cpu: '2' } });
    await cluster.run(0);
    expect(conditions(cluster)).toEqual(['PodResizeInProgress']);
    expect(container(cluster)).toMatchObject({
      allocatedResources: { cpu: '1' },
      resources: { requests: { cpu: '500m' }, limits: { cpu: '1' } },
    });
    await cluster.run(500);
    expect(conditions(cluster)).toEqual([]);
    expect(container(cluster)).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } });
    expect(told(cluster)).toEqual([
      'ResizeCompleted: Pod resize completed: {"containers":[{"name":"app","resources":{"limits":{"cpu":"2"},"requests":{"cpu":"1"}}}]}',
    ]);
    expect((await cluster.verify()).differ).toBe(0);
  });

  it('goes on where it was when everything begins anew in the middle', async () => {
    const cluster = await withPod({ requests: { cpu: '500m' } });
    await resize(cluster, { requests: { cpu: '1' } });
    await cluster.run(200);
    await cluster.restart();
    await cluster.run(299);
    expect(conditions(cluster)).toEqual(['PodResizeInProgress']);
    await cluster.run(1);
    expect(conditions(cluster)).toEqual([]);
    expect(container(cluster).resources).toEqual({ requests: { cpu: '1' } });
  });

  it('starts a container anew whose policy asks for it, without a wait', async () => {
    const policy = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
    const cluster = await withPod({ limits: { memory: '256Mi' } }, { 'kubereel.dev/on-term': 'takes 1s' }, policy);
    await resize(cluster, { limits: { memory: '512Mi' } });
    await cluster.run(1200);
    expect(container(cluster)).toMatchObject({ restartCount: 0, ready: true, state: { running: {} } });
    await cluster.run(100);
    expect(container(cluster)).toMatchObject({ restartCount: 1, ready: true, resources: { limits: { memory: '512Mi' } } });
    expect(conditions(cluster)).toEqual([]);
    expect(told(cluster)[0]).toBe('Killing: Container app resize requires restart');
  });

  it('keeps a memory limit that would be below what is used, until less is used', async () => {
    const cluster = await withPod(
      { requests: { memory: '1Mi' }, limits: { memory: '512Mi' } },
      { 'kubereel.dev/memory': '300Mi; from 30s 100Mi' },
    );
    await resize(cluster, { limits: { memory: '200Mi' } });
    await cluster.run(13_000);
    const use = '(209715200) below current usage (314572800)';
    expect(conditions(cluster)).toEqual([
      `PodResizeInProgress Error cannot decrease memory limits: [attempting to set pod memory limit ${use}, attempting to set container "app" memory limit ${use}]`,
    ]);
    await cluster.run(30_000);
    expect(conditions(cluster)).toEqual([]);
    expect(container(cluster).resources).toEqual({ requests: { memory: '1Mi' }, limits: { memory: '200Mi' } });
  });

  it('says what the runtime refuses it with', async () => {
    const cluster = await withPod({ requests: { cpu: '500m' } }, { 'kubereel.dev/app.resize-fails': 'no control group' });
    await resize(cluster, { requests: { cpu: '1' } });
    await cluster.run(60_000);
    expect(conditions(cluster)).toEqual(['PodResizeInProgress Error rpc error: code = Unknown desc = no control group']);
    expect(container(cluster).resources).toEqual({ requests: { cpu: '500m' } });
  });
});

describe('resources that are not there', () => {
  it('are infeasible where the node never has them, and that is over when they are asked for no more', async () => {
    const cluster = await withPod({ requests: { cpu: '500m' } });
    await resize(cluster, { requests: { cpu: '100' } });
    await cluster.run(0);
    expect(conditions(cluster)).toEqual([
      "PodResizePending Infeasible Node didn't have enough capacity: cpu, requested: 100000, capacity: 4000",
    ]);
    await resize(cluster, { requests: { cpu: '500m' } });
    await cluster.run(0);
    expect(conditions(cluster)).toEqual([]);
    expect(container(cluster).allocatedResources).toEqual({ cpu: '500m' });
  });

  it('are given when others leave, to the pod of the highest priority first; the node counts with what it has set aside', async () => {
    const cluster = await withPod({ requests: { cpu: '500m' } });
    const first = { ...specAsking({ requests: { cpu: '500m' } }), priority: 10 };
    await cluster.pod({ name: 'first', spec: first, qosClass: 'Burstable' });
    await cluster.pod({ name: 'filler', spec: specAsking({ requests: { cpu: '2' } }) });
    await cluster.run(1000);
    await resize(cluster, { requests: { cpu: '2' } });
    await resize(cluster, { requests: { cpu: '3' } }, 'first');
    await cluster.run(1000);
    const deferred = (asked: number): string[] => [
      `PodResizePending Deferred Node didn't have enough resource: cpu, requested: ${asked}, used: 2500, capacity: 4000`,
    ];
    expect([conditions(cluster), conditions(cluster, 'first')]).toEqual([deferred(2000), deferred(3000)]);
    await cluster.delete('filler');
    await cluster.run(2000);
    expect(container(cluster, 'first').resources).toEqual({ requests: { cpu: '3' } });
    expect(container(cluster).resources).toEqual({ requests: { cpu: '500m' } });
    await cluster.pod({ name: 'small', spec: specAsking({ requests: { cpu: '500m' } }) });
    await cluster.run(1000);
    expect(cluster.get('small')?.status.phase).toBe('Running');
    expect((await cluster.verify()).differ).toBe(0);
  });
});

it('a container that waits to be restarted is another one once it has other resources: it starts at once, and waits anew', async () => {
  const cluster = await withPod({ requests: { cpu: '200m' } }, { 'kubereel.dev/run-for': '1s', 'kubereel.dev/exit-code': '1' });
  await cluster.run(38_000);
  const { restartCount, state } = container(cluster);
  expect(state.waiting.reason).toBe('CrashLoopBackOff');
  await resize(cluster, { requests: { cpu: '300m' } });
  await cluster.run(500);
  expect(container(cluster)).toMatchObject({ restartCount: restartCount + 1, resources: { requests: { cpu: '300m' } } });
});
