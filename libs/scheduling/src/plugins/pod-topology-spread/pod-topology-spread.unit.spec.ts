import { describe, expect, it } from 'vitest';
import { makeNode, makeObject, makePod, scoresOf, verdicts } from '../../cluster.fixture';
import type { PodParts } from '../../cluster.fixture';
import type { RawSpreadConstraint } from '../../framework/kube-types';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const nodes = [makeNode('a1', { labels: { [zone]: 'a' } }), makeNode('b1', { labels: { [zone]: 'b' } }), makeNode('none')];
const refused = "PodTopologySpread: node(s) didn't match pod topology spread constraints";
const missing = `${refused} (missing required label)`;
const web = (name: string, nodeName: string, parts: PodParts = {}) => makePod(name, { labels: { app: 'web' }, nodeName, ...parts });

function spread(more: Partial<RawSpreadConstraint> = {}, parts: PodParts = {}) {
  const constraint = {
    maxSkew: 1,
    topologyKey: zone,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
    ...more,
  };
  return makePod('p', { labels: { app: 'web' }, topologySpreadConstraints: [constraint], ...parts });
}

describe('PodTopologySpread, filter', () => {
  it('keeps the domain at most maxSkew above the emptiest', () => {
    expect(verdicts({ nodes, pods: [web('x', 'a1')] }, spread())).toEqual({ a1: refused, b1: 'fits', none: missing });
    expect(verdicts({ nodes, pods: [web('x', 'a1')] }, spread({ maxSkew: 2 })).a1).toBe('fits');
  });

  it('adds nothing for a pod that its own selector does not match', () => {
    expect(verdicts({ nodes, pods: [web('x', 'a1')] }, spread({}, { labels: { app: 'db' } })).a1).toBe('fits');
  });

  it('does not count terminating pods, those of other namespaces, or any by an empty selector', () => {
    expect(verdicts({ nodes, pods: [web('x', 'a1', { terminating: true })] }, spread()).a1).toBe('fits');
    expect(verdicts({ nodes, pods: [web('x', 'a1', { namespace: 'other' })] }, spread()).a1).toBe('fits');
    expect(verdicts({ nodes, pods: [web('x', 'a1'), web('y', 'a1')] }, spread({ labelSelector: {} })).a1).toBe('fits');
  });

  it('takes the minimum as 0 while there are fewer domains than minDomains', () => {
    const pods = [web('x', 'a1'), web('y', 'b1')];
    expect(verdicts({ nodes, pods }, spread())).toMatchObject({ a1: 'fits', b1: 'fits' });
    expect(verdicts({ nodes, pods }, spread({ minDomains: 3 }))).toMatchObject({ a1: refused, b1: refused });
  });

  it('leaves a tainted domain out only where nodeTaintsPolicy honours taints', () => {
    const tainted = [nodes[0] ?? makeNode('a1'), makeNode('b1', { labels: { [zone]: 'b' }, taints: [{ key: 'k', effect: 'NoSchedule' }] })];
    const pods = [web('x', 'a1')];
    expect(verdicts({ nodes: tainted, pods }, spread()).a1).toBe(refused);
    expect(verdicts({ nodes: tainted, pods }, spread({ nodeTaintsPolicy: 'Honor' })).a1).toBe('fits');
  });

  it('leaves out nodes that the pod does not select, unless told to ignore that', () => {
    const parts = { nodeSelector: { [host]: 'a1' } };
    expect(verdicts({ nodes, pods: [web('x', 'a1')] }, spread({}, parts)).a1).toBe('fits');
    expect(verdicts({ nodes, pods: [web('x', 'a1')] }, spread({ nodeAffinityPolicy: 'Ignore' }, parts)).a1).toBe(refused);
  });
});

describe('PodTopologySpread, score', () => {
  const zones = ['a', 'b', 'c'].map((name) => makeNode(name, { labels: { [zone]: name } }));
  const pods = [web('x', 'b'), web('y', 'c'), web('z', 'c')];

  it('weighs counts by the number of domains: 0, 1, 2 of 3 zones give 100, 33, 0, times weight 2', () => {
    expect(scoresOf({ nodes: zones, pods }, spread({ whenUnsatisfiable: 'ScheduleAnyway' }), 'PodTopologySpread')).toEqual({
      a: 200,
      b: 66,
      c: 0,
    });
  });

  it('gives nodes that lack the key nothing', () => {
    const scores = scoresOf(
      { nodes: [...zones, makeNode('none')], pods },
      spread({ whenUnsatisfiable: 'ScheduleAnyway' }),
      'PodTopologySpread',
    );
    expect(scores?.none).toBe(0);
  });

  it('spreads the pods of a service by default, and of nothing where nothing selects the pod', () => {
    const services = [makeObject('Service', 'web', { spec: { selector: { app: 'web' } } }, 'default')];
    const pod = makePod('p', { labels: { app: 'web' } });
    expect(scoresOf({ nodes: zones, pods }, pod, 'PodTopologySpread')).toBeUndefined();
    const scores = scoresOf({ nodes: zones, pods, objects: { services } }, pod, 'PodTopologySpread');
    expect(
      Object.entries(scores ?? {})
        .sort(([, a], [, b]) => b - a)
        .map(([name]) => name),
    ).toEqual(['a', 'b', 'c']);
  });

  it('uses the constraints of the profile in their place', () => {
    const replicasets = [makeObject('ReplicaSet', 'rs', { spec: { selector: { matchLabels: { app: 'web' } } } }, 'default')];
    const defaultConstraints = [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: 'DoNotSchedule' }];
    const config = { profiles: [{ pluginConfig: [{ name: 'PodTopologySpread', args: { defaultingType: 'List', defaultConstraints } }] }] };
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u-rs', controller: true }];
    const pod = makePod('p', { labels: { app: 'web' }, metadata: { ownerReferences } });
    expect(verdicts({ nodes: zones, pods, objects: { replicasets }, config }, pod)).toEqual({ a: 'fits', b: refused, c: refused });
  });
});
