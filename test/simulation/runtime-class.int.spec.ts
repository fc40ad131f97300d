// Runtime classes: what they add to a pod, and that their overhead counts wherever requests do.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { verify } from '#libs/audit';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { answerOf, applyManifest } from '../../apps/cli/src/simulation/actions';

let cluster: SimulatedCluster;
afterEach(() => cluster.close());

async function start(): Promise<void> {
  cluster = await SimulatedCluster.create({ nodes: { count: 1, cpu: '2', memory: '8Gi', pods: 110 } });
  await cluster.executive.runFor(1_000);
}

async function apply(manifest: JsonObject): Promise<{ code: number; message?: string }> {
  const writing = applyManifest(cluster, manifest);
  await cluster.executive.settle();
  return answerOf(await writing);
}

const runtimeClass = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name },
  handler: 'runsc',
  ...more,
});
const pod = (name: string, cpu: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu } } }], ...spec },
});
const get = (name: string): KubeObject | undefined => cluster.state.get('pods', 'default', name);

describe('a runtime class', () => {
  it('adds its overhead, node selector and tolerations to its pods', async () => {
    await start();
    const scheduling = { nodeSelector: { 'kubernetes.io/os': 'linux' }, tolerations: [{ key: 'sandbox', operator: 'Exists' }] };
    await apply(runtimeClass('heavy', { overhead: { podFixed: { cpu: '250m' } }, scheduling }));
    const own = {
      runtimeClassName: 'heavy',
      tolerations: [
        { key: 'sandbox', operator: 'Equal', value: 'x' },
        { key: 'own', operator: 'Exists' },
      ],
    };
    expect((await apply(pod('p', '100m', own))).code).toBe(201);
    const spec = get('p')?.spec as JsonObject;
    expect(spec).toMatchObject({ overhead: { cpu: '250m' }, nodeSelector: { 'kubernetes.io/os': 'linux' } });
    // Its own narrower toleration is covered by that of the class.
    expect((spec.tolerations as JsonObject[]).map(({ key, operator }) => `${String(key)} ${String(operator)}`)).toEqual([
      'own Exists',
      'node.kubernetes.io/not-ready Exists',
      'node.kubernetes.io/unreachable Exists',
      'sandbox Exists',
    ]);
  });

  it('is the only one to set overhead, and must be there', async () => {
    await start();
    await apply(runtimeClass('heavy', { overhead: { podFixed: { cpu: '250m' } }, scheduling: { nodeSelector: { disk: 'ssd' } } }));
    const refusals = [
      pod('a', '1', { overhead: { cpu: '1' } }),
      pod('b', '1', { runtimeClassName: 'heavy', overhead: { cpu: '1' } }),
      pod('c', '1', { runtimeClassName: 'absent' }),
      pod('d', '1', { runtimeClassName: 'heavy', nodeSelector: { disk: 'hdd' } }),
    ];
    const messages: string[] = [];
    for (const each of refusals) {
      const { code, message = '' } = await apply(each);
      messages.push(`${code} ${message}`);
    }
    expect(messages).toEqual([
      '403 pods "a" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
      `403 pods "b" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
      '403 pods "c" is forbidden: pod rejected: RuntimeClass "absent" not found',
      '403 pods "d" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd',
    ]);
  });

  it('costs room: its overhead counts with the scheduler, for the pod and for those after it', async () => {
    await start();
    await apply(runtimeClass('heavy', { overhead: { podFixed: { cpu: '600m' } } }));
    await apply(pod('first', '500m', { runtimeClassName: 'heavy' }));
    await apply(pod('second', '500m', { runtimeClassName: 'heavy' }));
    await apply(pod('third', '900m'));
    await cluster.executive.runFor(5_000);
    expect(['first', 'second', 'third'].map((name) => get(name)?.spec?.nodeName)).toEqual(['node-1', undefined, 'node-1']);
    const { log, controllers, runtime } = cluster;
    const report = await verify({ log, cluster: 'local', seed: runtime.seed, controllers });
    expect({ differ: report.differ, chain: report.chain }).toEqual({ differ: 0, chain: [] });
    expect(report.agreed).toBeGreaterThan(0);
  });

  it('costs room with the kubelet too, where nobody asked the scheduler', async () => {
    await start();
    await apply(runtimeClass('heavy', { overhead: { podFixed: { cpu: '600m' } } }));
    await apply(pod('fits', '1300m', { runtimeClassName: 'heavy', nodeName: 'node-1' }));
    await apply(pod('too-much', '1500m', { runtimeClassName: 'heavy', nodeName: 'node-1' }));
    await cluster.executive.runFor(5_000);
    expect(get('fits')?.status).toMatchObject({ phase: 'Running' });
    expect(get('too-much')?.status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    expect(get('too-much')?.status?.message).toContain('requested: 2100, used: 1900, capacity: 2000');
  });
});
