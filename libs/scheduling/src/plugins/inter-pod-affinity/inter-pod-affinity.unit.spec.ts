import { describe, expect, it } from 'vitest';
import { makeNode, makeObject, makePod, scoresOf, verdicts } from '../../cluster.fixture';
import type { PodParts } from '../../cluster.fixture';
import type { RawAffinityTerm } from '../../framework/kube-types';
import { podInfoOf } from '../../framework/pod-info';
import { afterNodeChange, afterPodChange } from './hints';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const nodes = [
  makeNode('a1', { labels: { [zone]: 'a' } }),
  makeNode('a2', { labels: { [zone]: 'a' } }),
  makeNode('b1', { labels: { [zone]: 'b' } }),
  makeNode('none'),
];
const affinityRefused = "InterPodAffinity: node(s) didn't match pod affinity rules";
const antiRefused = "InterPodAffinity: node(s) didn't match pod anti-affinity rules";
const existingRefused = "InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules";

const to = (app: string, topologyKey = zone, more: Partial<RawAffinityTerm> = {}): RawAffinityTerm => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
  ...more,
});
const required = (...terms: RawAffinityTerm[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms });
const preferred = (weight: number, podAffinityTerm: RawAffinityTerm) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }],
});
const web = (nodeName: string, parts: PodParts = {}) => makePod(`web-${nodeName}`, { labels: { app: 'web' }, nodeName, ...parts });

describe('InterPodAffinity, filter', () => {
  it('wants a matching pod in the domain of every term', () => {
    const pod = makePod('p', { affinity: { podAffinity: required(to('web')) } });
    expect(verdicts({ nodes, pods: [web('a1')] }, pod)).toEqual({ a1: 'fits', a2: 'fits', b1: affinityRefused, none: affinityRefused });
  });

  it('wants one and the same pod to match all terms', () => {
    const pod = makePod('p', {
      affinity: { podAffinity: required(to('web', zone), { ...to('web', host), labelSelector: { matchLabels: { tier: 'front' } } }) },
    });
    const apart = [web('a1'), makePod('front', { labels: { tier: 'front' }, nodeName: 'a1' })];
    expect(verdicts({ nodes, pods: apart }, pod).a1).toBe(affinityRefused);
    expect(verdicts({ nodes, pods: [web('a1', { labels: { app: 'web', tier: 'front' } })] }, pod).a1).toBe('fits');
  });

  it('lets the first pod of a series go where the keys exist', () => {
    const first = makePod('p', { labels: { app: 'web' }, affinity: { podAffinity: required(to('web')) } });
    expect(verdicts({ nodes }, first)).toEqual({ a1: 'fits', a2: 'fits', b1: 'fits', none: affinityRefused });
    expect(verdicts({ nodes }, makePod('p', { affinity: { podAffinity: required(to('web')) } })).a1).toBe(affinityRefused);
    expect(verdicts({ nodes, pods: [web('b1')] }, first)).toMatchObject({ a1: affinityRefused, b1: 'fits' });
  });

  it('keeps away from domains with a pod it has anti-affinity to; nodes without the key are open', () => {
    const pod = makePod('p', { affinity: { podAntiAffinity: required(to('web')) } });
    expect(verdicts({ nodes, pods: [web('a1')] }, pod)).toEqual({ a1: antiRefused, a2: antiRefused, b1: 'fits', none: 'fits' });
  });

  it('is kept away by the anti-affinity of pods that are there', () => {
    const hostile = makePod('hostile', { nodeName: 'a2', affinity: { podAntiAffinity: required(to('web')) } });
    expect(verdicts({ nodes, pods: [hostile] }, makePod('p', { labels: { app: 'web' } }))).toEqual({
      a1: existingRefused,
      a2: existingRefused,
      b1: 'fits',
      none: 'fits',
    });
    expect(verdicts({ nodes, pods: [hostile] }, makePod('p', { labels: { app: 'db' } })).a1).toBe('fits');
  });

  it('means its own namespace unless namespaces or a namespaceSelector say otherwise', () => {
    const namespaces = [makeObject('Namespace', 'team', {}), makeObject('Namespace', 'default', {})];
    (namespaces[0] as { metadata: { labels?: object } }).metadata.labels = { team: 'yes' };
    const cluster = { nodes, pods: [web('a1', { namespace: 'team' })], objects: { namespaces } };
    const fits = (more: Partial<RawAffinityTerm>) =>
      verdicts(cluster, makePod('p', { affinity: { podAffinity: required(to('web', zone, more)) } })).a1 === 'fits';
    expect(fits({})).toBe(false);
    expect(fits({ namespaces: ['team'] })).toBe(true);
    expect(fits({ namespaceSelector: { matchLabels: { team: 'yes' } } })).toBe(true);
    expect(fits({ namespaceSelector: { matchLabels: { team: 'no' } } })).toBe(false);
    expect(fits({ namespaceSelector: {} })).toBe(true);
  });

  it('knows a nil selector, which matches no pod, from an empty one, which matches all', () => {
    const anti = (labelSelector: object | undefined) =>
      makePod('p', { affinity: { podAntiAffinity: required({ topologyKey: zone, labelSelector }) } });
    expect(verdicts({ nodes, pods: [web('a1')] }, anti(undefined)).a1).toBe('fits');
    expect(verdicts({ nodes, pods: [web('a1')] }, anti({})).a1).toBe(antiRefused);
  });
});

describe('InterPodAffinity, score', () => {
  it('sums preferences of both sides and spreads them from 0 to 100, times weight 2', () => {
    const pod = makePod('p', { labels: { app: 'db' }, affinity: { podAffinity: preferred(40, to('web')) } });
    const hater = makePod('hater', { nodeName: 'b1', affinity: { podAntiAffinity: preferred(60, to('db')) } });
    expect(scoresOf({ nodes, pods: [web('a1'), hater] }, pod, 'InterPodAffinity')).toEqual({ a1: 200, a2: 200, b1: 0, none: 120 });
  });

  it('counts required affinity of pods that are there with the hard weight', () => {
    const friend = makePod('friend', { nodeName: 'a1', labels: { app: 'db' }, affinity: { podAffinity: required(to('db')) } });
    const config = (hardPodAffinityWeight: number) => ({
      profiles: [{ pluginConfig: [{ name: 'InterPodAffinity', args: { hardPodAffinityWeight } }] }],
    });
    const pod = makePod('p', { labels: { app: 'db' } });
    expect(scoresOf({ nodes, pods: [friend], config: config(5) }, pod, 'InterPodAffinity')).toEqual({ a1: 200, a2: 200, b1: 0, none: 0 });
    expect(scoresOf({ nodes, pods: [friend], config: config(0) }, pod, 'InterPodAffinity')).toBeUndefined();
  });
});

describe('InterPodAffinity, requeueing', () => {
  const waiting = podInfoOf(makePod('p', { affinity: { podAffinity: required(to('web')), podAntiAffinity: required(to('db')) } }));
  const db = makePod('db', { labels: { app: 'db' }, nodeName: 'a1' });

  it('on a pod that meets the affinity, or one gone that broke the anti-affinity', () => {
    expect(afterPodChange(waiting, undefined, web('a1'))).toBe('Queue');
    expect(afterPodChange(waiting, undefined, makePod('web', { labels: { app: 'web' } }))).toBe('QueueSkip');
    expect(afterPodChange(waiting, db, undefined)).toBe('Queue');
    expect(afterPodChange(waiting, web('a1'), undefined)).toBe('QueueSkip');
    expect(afterPodChange(waiting, db, { ...db, metadata: { ...db.metadata, labels: {} } })).toBe('Queue');
  });

  it('misses, as upstream, that the pod that went had anti-affinity of its own', () => {
    const hostile = makePod('hostile', { nodeName: 'a1', affinity: { podAntiAffinity: required(to('any')) } });
    expect(afterPodChange(podInfoOf(makePod('p', { labels: { app: 'any' } })), hostile, undefined)).toBe('QueueSkip');
  });

  it('on a node that comes, or moves to another domain', () => {
    expect(afterNodeChange(waiting, undefined, makeNode('n'))).toBe('Queue');
    const affine = podInfoOf(makePod('q', { affinity: { podAffinity: required(to('web')) } }));
    expect(afterNodeChange(affine, undefined, makeNode('n'))).toBe('QueueSkip');
    expect(afterNodeChange(affine, makeNode('n', { labels: { [zone]: 'a' } }), makeNode('n', { labels: { [zone]: 'b' } }))).toBe('Queue');
    expect(afterNodeChange(affine, makeNode('n', { labels: { [zone]: 'a' } }), makeNode('n', { labels: { [zone]: 'a', x: 'y' } }))).toBe(
      'QueueSkip',
    );
  });
});
