import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { drainNode, type DrainCluster, type EvictionAnswer } from './drain';

/** Time passes only by sleeping; answers are given in turn, the last one for good. */
function cluster(pods: KubeObject[], answers: Record<string, number[]>): DrainCluster & { log: string[]; gone: Set<string> } {
  const log: string[] = [];
  const gone = new Set<string>();
  let now = 0;
  return {
    log,
    gone,
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
    cordon: (node) => Promise.resolve(void log.push(`cordon ${node}`)),
    podsOn: () => Promise.resolve(pods),
    evict: ({ metadata: { name } }) => {
      const [code = 201, ...later] = answers[name] ?? [];
      if (later.length > 0) answers[name] = later;
      log.push(`evict ${name} ${code}`);
      if (code === 201) gone.add(name);
      return Promise.resolve({ code });
    },
    isThere: ({ metadata: { name } }) => Promise.resolve(!gone.has(name)),
  };
}

const pod = (name: string, metadata: object = {}): KubeObject =>
  ({ metadata: { name, namespace: 'default', uid: name, ...metadata } }) as never;

describe('a drain', () => {
  it('cordons, evicts all, and tries refused ones again', async () => {
    const on = cluster([pod('a'), pod('b')], { b: [429, 429, 201] });
    const told: EvictionAnswer[] = [];
    expect(await drainNode(on, 'node-1', { tell: (answer) => void told.push(answer) })).toBe(true);
    expect(on.log).toEqual(['cordon node-1', 'evict a 201', 'evict b 429', 'evict b 429', 'evict b 201']);
    expect(told.map(({ pod: name, code }) => `${name} ${code}`)).toContain('default/b 429');
    expect(on.now()).toBe(10_000);
  });

  it('gives up at its time-out', async () => {
    const on = cluster([pod('a')], { a: [429] });
    expect(await drainNode(on, 'node-1', { timeoutMs: 7_000 })).toBe(false);
    expect(on.now()).toBe(7_000);
  });

  it('ends at once with any other refusal, and takes a pod that is gone for evicted', async () => {
    expect(await drainNode(cluster([pod('a')], { a: [500] }), 'node-1')).toBe(false);
    expect(await drainNode(cluster([pod('a')], { a: [404] }), 'node-1')).toBe(true);
  });

  it('leaves DaemonSets, static pods and those not selected alone', async () => {
    const ofDaemonSet = pod('agent', { ownerReferences: [{ kind: 'DaemonSet', controller: true }] });
    const mirror = pod('static', { annotations: { 'kubernetes.io/config.mirror': 'x' } });
    const on = cluster([ofDaemonSet, mirror, pod('web', { labels: { app: 'web' } }), pod('db', { labels: { app: 'db' } })], {});
    expect(await drainNode(on, 'node-1', { podSelector: { app: 'web' } })).toBe(true);
    expect(on.log).toEqual(['cordon node-1', 'evict web 201']);
  });
});
