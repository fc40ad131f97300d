import { describe, expect, it } from 'vitest';
import { attempt, defaultProfile, makeCache, makeNode, makePod, now } from './cluster.fixture';
import { createProfiles } from './config/profiles';
import { feasibleNodesToFind, schedulePod } from './schedule-pod';

describe('how many feasible nodes are enough', () => {
  it.each([
    [99, 0, 99],
    [100, 0, 100],
    [200, 0, 100],
    [500, 0, 230],
    [1000, 0, 420],
    [5000, 0, 500],
    [6000, 0, 300],
    [5000, 100, 5000],
    [5000, 1, 100],
  ])('%i nodes, %i %%: %i', (nodeCount, percentage, expected) => {
    expect(feasibleNodesToFind(nodeCount, percentage)).toBe(expected);
  });

  it('starts where the last attempt stopped, and goes on round', () => {
    const nodes = Array.from({ length: 300 }, (_unused, i) => makeNode(`n-${i}`));
    const result = attempt({ nodes }, makePod('p'), { evaluateAll: false, nextStartNodeIndex: 250 });
    expect(result).toMatchObject({ kind: 'bound', evaluatedCount: 144, nextStartNodeIndex: (250 + 144) % 300 });
    expect(result.kind === 'bound' && result.feasible.slice(0, 51).at(-1)).toBe('n-0');
  });

  it('looks for one only where nothing scores', () => {
    const config = { profiles: [{ plugins: { score: { disabled: [{ name: '*' }] } } }] };
    const result = attempt({ nodes: [makeNode('a'), makeNode('b')], config }, makePod('p'), { evaluateAll: false });
    expect(result).toMatchObject({ kind: 'bound', evaluatedCount: 1, node: 'a' });
  });
});

describe('an attempt', () => {
  const nodes = [makeNode('a'), makeNode('b')];

  it('fails without nodes, and the nomination goes', () => {
    expect(attempt({}, makePod('p'))).toMatchObject({
      kind: 'error',
      message: 'no nodes available to schedule pods',
      reason: 'Unschedulable',
    });
  });

  it('uses the nominated node without looking further, if it fits', () => {
    const pod = makePod('p', { nominated: 'b' });
    expect(attempt({ nodes }, pod, { evaluateAll: false })).toMatchObject({ node: 'b', nominatedNodeUsed: true, evaluatedCount: 1 });
    const full = [makePod('q', { nodeName: 'b', cpu: '4' })];
    expect(attempt({ nodes, pods: full }, makePod('p', { nominated: 'b', cpu: '1' }), { evaluateAll: false })).toMatchObject({
      node: 'a',
      nominatedNodeUsed: false,
    });
    expect(attempt({ nodes }, makePod('p', { nominated: 'gone' }), { evaluateAll: false })).toMatchObject({ nominatedNodeUsed: false });
  });

  it('takes the best node, and chance only among equals', () => {
    const busy = [makePod('q', { nodeName: 'a', cpu: '2', memory: '4Gi' })];
    expect(attempt({ nodes, pods: busy }, makePod('p', { cpu: '1', memory: '1Gi' }), { chance: () => 0 })).toMatchObject({
      node: 'b',
      best: ['b'],
    });
    const asked: number[] = [];
    const chance = (bound: number): number => asked.push(bound) && 1;
    expect(attempt({ nodes }, makePod('p'), { chance })).toMatchObject({ node: 'b', best: ['a', 'b'] });
    expect(asked).toEqual([2]);
  });

  it('keeps room for nominated pods of equal or higher priority, and no others', () => {
    const nominated = (priority: number) => [makePod('promised', { cpu: '3', priority, nominated: 'a' })];
    const cluster = { nodes: nodes.slice(0, 1) };
    const pod = makePod('p', { cpu: '2', priority: 10 });
    expect(attempt({ ...cluster, nominated: nominated(10) }, pod).kind).toBe('unschedulable');
    expect(attempt({ ...cluster, nominated: nominated(9) }, pod).kind).toBe('bound');
  });

  it('must fit without nominated pods too, as they may not come', () => {
    const term = { labelSelector: { matchLabels: { app: 'web' } }, topologyKey: 'kubernetes.io/hostname' };
    const pod = makePod('p', { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } });
    const nominated = [makePod('promised', { labels: { app: 'web' }, nominated: 'a' })];
    expect(attempt({ nodes, nominated }, pod).kind).toBe('unschedulable');
  });

  it('counts reasons, sorted as text', () => {
    const tainted = Array.from({ length: 10 }, (_unused, i) => makeNode(`t-${i}`, { taints: [{ key: 'k', effect: 'NoSchedule' }] }));
    const result = attempt({ nodes: [...nodes, ...tainted] }, makePod('p', { cpu: '9' }));
    expect(result.kind === 'unschedulable' && result.message).toMatch(
      /^0\/12 nodes are available: 10 node\(s\) had untolerated taint\(s\), 2 Insufficient cpu\. /,
    );
  });

  it('says nothing of preemption where no plugin does it', () => {
    const config = { profiles: [{ plugins: { postFilter: { disabled: [{ name: '*' }] } } }] };
    const result = attempt({ nodes, config }, makePod('p', { cpu: '9' }));
    expect(result).toMatchObject({ kind: 'unschedulable', message: '0/2 nodes are available: 2 Insufficient cpu.', postFilter: undefined });
  });

  it('answers the same twice', () => {
    const cache = makeCache({ nodes, pods: [makePod('q', { nodeName: 'a', cpu: '1' })] });
    const profile = defaultProfile(createProfiles());
    const once = () => schedulePod(cache.snapshot(), makePod('p', { cpu: '1' }), { profile, chance: () => 0, now });
    const [first, second] = [once(), once()];
    expect(second).toMatchObject({
      node: first.kind === 'bound' ? first.node : '',
      scores: first.kind === 'bound' ? { totals: first.scores?.totals } : {},
    });
  });
});
