// Pods that a kubelet has from files, and the mirrors that show them.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { fact, type Fact } from '#libs/events';
import { derivedId, type JsonObject, type KubeObject } from '#libs/kernel';
import { expectProven } from '../proven.fixture';

const web = 'web-node-1';
let cluster: SimulatedCluster;
let told: string[];

beforeEach(async () => {
  told = [];
  cluster = await SimulatedCluster.create({ nodes: { count: 1, cpu: '4', memory: '4Gi', pods: 110 } });
  cluster.runtime.folded$.subscribe((appends) => {
    for (const { type, data } of appends.flatMap(({ events }) => events)) {
      if (type === 'Reported' && data.name === web) told.push(`${data.reason as string}: ${data.message as string}`);
    }
  });
  await cluster.executive.runFor(1_000);
});

afterEach(async () => {
  await expectProven(cluster.log);
  await cluster.close();
});

const run = (ms: number): Promise<void> => cluster.executive.runFor(ms);
const pod = (): KubeObject | undefined => cluster.state.get('pods', 'default', web);
const status = (): any => pod()?.status;
const hash = (): string | undefined => pod()?.metadata.annotations?.['kubernetes.io/config.hash'];

const manifest = (image = 'app:1', annotations: Record<string, string> = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', annotations },
  spec: { containers: [{ name: 'app', image }] },
});

/** The file has this manifest from now on, or is gone. */
function put(held: JsonObject | undefined): Promise<void> {
  return record(fact('StaticPodFileChanged', { node: 'node-1', file: 'web.yaml', ...(held ? { manifest: held } : {}) }));
}

const befalls = (type: 'NodeHeartbeatStopped' | 'KubeletRestarted'): Promise<void> => record(fact(type, { node: 'node-1' }));

async function record(happened: Fact): Promise<void> {
  const operation = `put/${happened.type}/${cluster.elapsed}`;
  const origin = { actor: 'user:admin', operation, correlationId: derivedId(operation) };
  await cluster.runtime.appendDecision('kubelet-decisions', [happened], origin, '0');
  await cluster.executive.settle();
}

async function deleteMirror(options: { gracePeriodSeconds?: number } = {}): Promise<void> {
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: web }, options });
}

describe('a manifest in the folder of a kubelet', () => {
  it('runs, and a mirror shows it: the name with that of the node, a hash for its uid, the node for its owner', async () => {
    await put(manifest());
    await run(1000);
    expect(hash()).toMatch(/^[0-9a-f]{32}$/);
    expect(pod()?.metadata).toMatchObject({
      namespace: 'default',
      annotations: { 'kubernetes.io/config.mirror': hash(), 'kubernetes.io/config.source': 'file' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node-1', controller: true }],
    });
    expect(pod()?.spec).toMatchObject({ nodeName: 'node-1', tolerations: [{ operator: 'Exists', effect: 'NoExecute' }] });
    expect(status()).toMatchObject({ phase: 'Running', containerStatuses: [{ ready: true }] });
    expect(status().observedGeneration).toBeUndefined();
  });

  it('that is no pod runs nothing, until it is put right', async () => {
    await put({ ...manifest(), spec: { containers: [] } });
    await run(1000);
    expect(pod()).toBeUndefined();
    await put(manifest());
    await run(1000);
    expect(status().phase).toBe('Running');
  });

  it.each([
    { serviceAccountName: 'default' },
    { volumes: [{ name: 'v', configMap: { name: 'settings' } }] },
    { containers: [{ name: 'app', image: 'app:1', envFrom: [{ secretRef: { name: 'keys' } }] }] },
  ])('that refers to objects of the API runs nothing: %j', async (more) => {
    await put({ ...manifest(), spec: { ...(manifest().spec as JsonObject), ...more } });
    await run(5_000);
    expect(pod()).toBeUndefined();
  });

  it('that asks for more than the node has is told of once, and shown by nothing', async () => {
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '9' } } }];
    await put({ ...manifest(), spec: { containers } });
    await run(60_000);
    expect(pod()).toBeUndefined();
    expect(told).toEqual([
      'UnexpectedAdmissionError: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 5000), ]',
    ]);
  });

  it('ends the pod when it is taken out: its containers are stopped, then the mirror goes', async () => {
    await put(manifest('app:1', { 'kubereel.dev/on-term': 'takes 2s' }));
    await run(1000);
    await put(undefined);
    await run(2700);
    expect(pod()).toBeDefined();
    await run(200);
    expect(pod()).toBeUndefined();
    await run(120_000);
    expect(pod()).toBeUndefined();
  });

  it('is not taken for the room of another one that comes at once', async () => {
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '3' } } }];
    const other = { ...manifest(), metadata: { name: 'other' }, spec: { containers } };
    const second = fact('StaticPodFileChanged', { node: 'node-1', file: 'z.yaml', manifest: other });
    await Promise.all([put({ ...manifest(), spec: { containers } }), record(second)]);
    await run(5_000);
    expect(status().phase).toBe('Running');
    expect(cluster.state.get('pods', 'default', 'other-node-1')).toBeUndefined();
  });

  it('has room made for it beside a critical pod that comes at once, one after the other', async () => {
    const bound = (name: string, cpu: string, more: object = {}): Promise<unknown> => {
      const spec = { nodeName: 'node-1', containers: [{ name: 'app', image: 'app:1', resources: { requests: { cpu } } }], ...more };
      const object = { metadata: { name, namespace: 'default' }, spec } as unknown as KubeObject;
      return cluster.writeAndSettle({ verb: 'create', resource: 'pods', namespace: 'default', object });
    };
    const phase = (name: string): unknown => cluster.state.get('pods', 'default', name)?.status?.phase;
    await bound('first', '1900m');
    await bound('second', '1900m');
    await run(2_000);
    const containers = [{ name: 'app', image: 'app:1', resources: { requests: { cpu: '2' } } }];
    await Promise.all([
      put({ ...manifest(), spec: { containers } }),
      bound('critical', '2', { priorityClassName: 'system-node-critical' }),
    ]);
    await run(10_000);
    expect([web, 'critical', 'first', 'second'].map(phase)).toEqual(['Running', 'Running', 'Succeeded', 'Succeeded']);
  });

  it('that was taken out while the kubelet was away: one that begins finds the containers alone, ends them, and takes the mirror away', async () => {
    await put(manifest());
    await run(2_000);
    await befalls('NodeHeartbeatStopped');
    await put(undefined);
    await run(3_000);
    expect(status().phase).toBe('Running');
    await befalls('KubeletRestarted');
    await run(1_900);
    expect(status().phase).toBe('Running');
    await run(200);
    expect(pod()).toBeUndefined();
    expect(told.filter((line) => line.startsWith('Killing'))).toEqual(['Killing: Stopping container app']);
  });

  it('is the same pod again when it comes again unchanged, and another one when it is another', async () => {
    await put(manifest());
    await run(1000);
    const first = hash();
    await put(undefined);
    await run(5000);
    await put(manifest());
    await run(1000);
    expect(hash()).toBe(first);
    expect(told).toContain('SandboxChanged: Pod sandbox changed, it will be killed and re-created.');
    await put(manifest('app:2'));
    await run(5000);
    expect(hash()).toBe(first);
    await run(10_000);
    expect(hash()).not.toBe(first);
    expect(status().containerStatuses[0].image).toBe('docker.io/library/app:2');
  });
});

describe('a mirror that is deleted', () => {
  it('comes again at once, and shows the same run: the pod was not touched', async () => {
    await put(manifest());
    await run(1000);
    const before = pod();
    await deleteMirror();
    await run(100);
    expect(pod()?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(status().containerStatuses).toEqual(before?.status.containerStatuses);
  });

  it('by force comes again with the next regular sync', async () => {
    await put(manifest());
    await run(1000);
    const before = pod();
    await deleteMirror({ gracePeriodSeconds: 0 });
    await run(30_000);
    expect(pod()).toBeUndefined();
    await run(45_000);
    expect(status().containerStatuses).toEqual(before?.status.containerStatuses);
  });
});
