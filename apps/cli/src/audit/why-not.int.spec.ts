import { afterEach, describe, expect, it } from 'vitest';
import { renderWhy, renderWhyNot, why, whyNot, type WhyNotAttempt } from '#libs/audit';
import type { JsonObject } from '#libs/kernel';
import { SimulatedCluster } from '../simulation/simulated-cluster';
import { attemptExplainers } from './explainers';

let cluster: SimulatedCluster;

afterEach(() => cluster.close());

async function nodes(sizes: Record<string, JsonObject>): Promise<void> {
  cluster = await SimulatedCluster.create({ kubelet: { onTerm: 'ignore' } });
  for (const [name, allocatable] of Object.entries(sizes)) {
    const metadata = { name, labels: { 'kubernetes.io/hostname': name } };
    await cluster.writeAndSettle({
      verb: 'create',
      resource: 'nodes',
      object: { apiVersion: 'v1', kind: 'Node', metadata, status: { allocatable, capacity: allocatable } } as never,
    });
  }
  await cluster.executive.runFor(5_000);
}

async function priorityClass(name: string, value: number): Promise<void> {
  const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value };
  await cluster.writeAndSettle({ verb: 'create', resource: 'priorityclasses.scheduling.k8s.io', object: object as never });
}

async function pod(name: string, cpu: string, more: JsonObject = {}, labels: Record<string, string> = {}): Promise<void> {
  const spec = { containers: [{ name: 'c', image: 'app:1', resources: { requests: { cpu } } }], ...more };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default', labels }, spec };
  await cluster.writeAndSettle({ verb: 'create', resource: 'pods', namespace: 'default', object: object as never });
}

async function story(name: string) {
  const { log, controllers, runtime } = cluster;
  const object = { resource: 'pods', namespace: 'default', name };
  return (await why({ log, cluster: 'local', seed: runtime.seed, object, controllers, explainers: await attemptExplainers() }))!;
}

async function askedOf(name: string, node: string): Promise<{ last: WhyNotAttempt; told: string }> {
  const answer = whyNot(await story(name), node)!;
  return { last: answer.attempts.at(-1)!, told: renderWhyNot(answer) };
}

const big = { cpu: '4', memory: '8Gi', pods: '10' };
const small = { cpu: '1', memory: '8Gi', pods: '10' };

describe('why --not', () => {
  it('of a node that scores less: plugin by plugin', async () => {
    await nodes({ busy: big, free: big, small });
    await pod('filler', '3', { nodeSelector: { 'kubernetes.io/hostname': 'busy' } });
    await pod('web', '1');
    const { last, told } = await askedOf('web', 'busy');
    expect(last).toMatchObject({ verdict: 'outscored', outcome: 'bound', tookInstead: 'free' });
    expect(last.winnerTotal! - last.total!).toBe(last.scores!.reduce((sum, { node, winner }) => sum + winner - node, 0));
    expect(last.scores!.map(({ plugin }) => plugin)).toContain('NodeResourcesFit');
    expect(told).toMatch(/^pod default\/web: why not busy\n\n.* attempt 1 of 1: it fits, and scores \d+ where free scores \d+\n/);
    expect(told).toMatch(/NodeResourcesFit +\d+ against \d+ \(-\d+\)\n/);
  });

  it('of a node that was refused: by whom, and that preemption was not needed', async () => {
    await nodes({ free: big, small });
    await pod('web', '2');
    const { last, told } = await askedOf('web', 'small');
    expect(last).toMatchObject({
      verdict: 'refused',
      plugin: 'NodeResourcesFit',
      reasons: ['Insufficient cpu'],
      tookInstead: 'free',
      curable: false,
    });
    expect(told).toContain(
      'refused by NodeResourcesFit, went to free\n  reason: too little CPU: wants 2, 1 of 1 free (removing pods would not help)\n',
    );
    expect((await askedOf('web', 'free')).told).toContain('attempt 1 of 1: it went there');
    expect(whyNot(await story('web'), 'nowhere')).toBeUndefined();
  });

  it('of nodes in a preemption: what it would have cost there, and by what it lost', async () => {
    await nodes({ cheap: big, dear: big, cordoned: big, tiny: small });
    await priorityClass('mid', 100);
    await priorityClass('high', 1000);
    await cluster.writeAndSettle({
      verb: 'patch',
      target: { resource: 'nodes', name: 'cordoned' },
      patchType: 'merge',
      patch: { spec: { unschedulable: true } },
    });
    await pod('low', '3', { nodeSelector: { 'kubernetes.io/hostname': 'cheap' } });
    await pod('mid', '3', { nodeSelector: { 'kubernetes.io/hostname': 'dear' }, priorityClassName: 'mid' });
    await cluster.executive.runFor(5_000);
    await pod('urgent', '3', { priorityClassName: 'high' });
    const { last, told } = await askedOf('urgent', 'dear');
    expect(last).toMatchObject({
      verdict: 'refused',
      outcome: 'nominated',
      tookInstead: 'cheap',
      preemption: { result: 'candidate', lostBy: 'highestPriority' },
    });
    expect(told).toContain('preemption: would help, removes mid (100)\n');
    expect(told).toContain('lost to cheap (removes low (0)) by the lowest priority of the most important victim\n');
    expect((await askedOf('urgent', 'cheap')).last.preemption).toMatchObject({ result: 'chosen', decidedBy: 'highestPriority' });
    expect((await askedOf('urgent', 'cordoned')).last).toMatchObject({
      plugin: 'NodeUnschedulable',
      curable: false,
      preemption: { result: 'not-helpful' },
    });
    expect((await askedOf('urgent', 'tiny')).last.preemption?.result).toBe('not-helpful');
  });

  it('of a node where pods of its own rank are: removal was tried and would not help', async () => {
    await nodes({ only: big });
    await pod('first', '3');
    await pod('second', '3');
    expect((await askedOf('second', 'only')).last.preemption).toEqual({
      result: 'no-candidate',
      reasons: ['No preemption victims found for incoming pod'],
    });
    await priorityClass('polite', 10);
    await pod('polite', '3', { priorityClassName: 'polite', preemptionPolicy: 'PreemptLowerPriority' });
    const answer = whyNot(await story('polite'), 'only')!;
    expect(answer.attempts[0]).toMatchObject({ verdict: 'refused', curable: true, preemption: { result: 'chosen', decidedBy: 'single' } });
    expect(renderWhyNot(answer, 'every')).toContain(
      'refused, and room is made there\n  reason: too little CPU: wants 3, 1 of 4 free\n  preemption: removes first (0); chosen by being the only one\n',
    );
  });
});

describe("upstream's oddities in why", () => {
  const keepsOff = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'guest' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };

  it('a waiting pod that nobody wakes when the pod goes whose own anti-affinity kept it away', async () => {
    await nodes({ only: big });
    await pod('hermit', '1', { affinity: keepsOff });
    await pod('guest', '1', {}, { app: 'guest' });
    await cluster.executive.runFor(60_000);
    await cluster.writeAndSettle({
      verb: 'delete',
      target: { resource: 'pods', namespace: 'default', name: 'hermit' },
      options: { gracePeriodSeconds: 0 },
    });
    await cluster.executive.runFor(30_000);
    expect(cluster.state.get('pods', 'default', 'guest')?.spec.nodeName).toBeUndefined();
    await pod('bystander', '1');
    expect(renderWhy(await story('guest')).replaceAll(/\s+(│\s+)?/g, ' ')).toMatch(
      /note: hermit, whose own anti-affinity kept this pod off only, was gone at .*: it was not tried again by/,
    );
    // The periodic flush brings it back in the end.
    await cluster.executive.runFor(330_000);
    expect(cluster.state.get('pods', 'default', 'guest')?.spec.nodeName).toBe('only');
    const { told } = await askedOf('guest', 'only');
    expect(told).toContain('attempt 2 of 2: it went there');
    expect(renderWhyNot(whyNot(await story('guest'), 'only')!, 'every')).toMatch(
      /note: hermit, whose own anti-affinity .* it was tried again at \d\d:\d\d:\d\d only/,
    );
  });

  it('is not claimed of a pod that was tried again at once', async () => {
    await nodes({ only: big });
    await pod('hermit', '1', { affinity: keepsOff });
    await pod('guest', '1', {}, { app: 'guest' });
    await pod('filler', '3', {}, { app: 'guest' });
    await cluster.executive.runFor(60_000);
    await cluster.writeAndSettle({
      verb: 'delete',
      target: { resource: 'pods', namespace: 'default', name: 'hermit' },
      options: { gracePeriodSeconds: 0 },
    });
    await cluster.writeAndSettle({
      verb: 'patch',
      target: { resource: 'pods', namespace: 'default', name: 'guest' },
      patchType: 'merge',
      patch: { metadata: { labels: { app: 'visitor' } } },
    });
    await cluster.executive.runFor(30_000);
    expect(renderWhy(await story('guest'))).not.toContain('whose own anti-affinity');
  });
});
