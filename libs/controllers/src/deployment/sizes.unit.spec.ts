import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#libs/kernel';
import { maxSurge, maxUnavailable } from './fenceposts';
import { currentSize, scaledSizes, shrunkSizes } from './sizes';

type Fence = number | string;

function deployment(replicas: number, surge: Fence = '25%', unavailable: Fence = '25%', type = 'RollingUpdate'): KubeObject {
  const strategy = { type, rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } };
  return { metadata: { name: 'web', uid: 'd', creationTimestamp: '' }, spec: { replicas, strategy }, status: {} };
}

function replicaSet(name: string, replicas: number, available = replicas, max?: number, desired?: number): KubeObject {
  const annotations = {
    ...(max === undefined ? {} : { 'deployment.kubernetes.io/max-replicas': String(max) }),
    ...(desired === undefined ? {} : { 'deployment.kubernetes.io/desired-replicas': String(desired) }),
  };
  const metadata = { name, uid: name, creationTimestamp: `2026-01-01T00:00:0${name.length}Z`, annotations };
  return { metadata, spec: { replicas }, status: { replicas, availableReplicas: available } };
}

const named = (sizes: Map<KubeObject, number> | undefined): Record<string, number> | undefined =>
  sizes && Object.fromEntries([...sizes].map(([{ metadata }, size]) => [metadata.name, size]));

describe('fences', () => {
  it.each([
    [10, '25%', '25%', 3, 2],
    [4, 1, 0, 1, 0],
    [2, 0, '10%', 0, 1],
    [1, '25%', '25%', 1, 0],
    [3, '100%', '200%', 3, 3],
    [0, '25%', '25%', 0, 0],
  ] as [number, Fence, Fence, number, number][])('of %i with %s and %s are %i and %i', (replicas, surge, unavailable, up, down) => {
    const object = deployment(replicas, surge, unavailable);
    expect([maxSurge(object), maxUnavailable(object)]).toEqual([up, down]);
  });

  it('do not exist when pods are recreated', () => {
    const object = deployment(4, 1, 1, 'Recreate');
    expect([maxSurge(object), maxUnavailable(object)]).toEqual([0, 0]);
  });
});

describe('sizes', () => {
  it('let the new ReplicaSet grow into the room that surge leaves', () => {
    expect(currentSize(deployment(4, 1, 1), [replicaSet('o', 4), replicaSet('nn', 0)], 0)).toBe(1);
    expect(currentSize(deployment(4, 1, 1), [replicaSet('o', 1), replicaSet('nn', 3)], 3)).toBe(4);
    expect(currentSize(deployment(4, 0, 1), [replicaSet('o', 4)], 0)).toBe(0);
    expect(currentSize(deployment(4, 1, 1, 'Recreate'), [replicaSet('o', 4)], 0)).toBe(4);
  });

  it('give up unhealthy old pods first, then what availability allows', () => {
    const sizes = shrunkSizes(deployment(4, 1, 1), { current: replicaSet('nn', 1, 0), old: [replicaSet('o', 4, 4)] });
    expect(named(sizes)).toEqual({ o: 3 });
    const broken = shrunkSizes(deployment(4, 1, 1), {
      current: replicaSet('nnn', 1, 0),
      old: [replicaSet('o', 3, 3), replicaSet('oo', 1, 0)],
    });
    expect(named(broken)).toEqual({ oo: 0 });
    const none = shrunkSizes(deployment(4, 1, 0), { current: replicaSet('nn', 1, 0), old: [replicaSet('o', 4, 4)] });
    expect(named(none)).toEqual({});
  });

  it('wait while a ReplicaSet still counts pods that it is to lose', () => {
    expect(
      shrunkSizes(deployment(6, 3, 2), { current: replicaSet('nn', 3, 0), old: [replicaSet('o', 4, 8), replicaSet('oo', 2, 0)] }),
    ).toBeUndefined();
  });

  it('go to the only active ReplicaSet, or to the newest when none is', () => {
    expect(named(scaledSizes(deployment(5), { current: replicaSet('nn', 3), old: [replicaSet('o', 0)] }))).toEqual({ nn: 5 });
    expect(named(scaledSizes(deployment(5), { current: undefined, old: [replicaSet('o', 0), replicaSet('oo', 0)] }))).toEqual({ oo: 5 });
  });

  it('are shared in proportion, leftovers to the largest', () => {
    const generations = { current: replicaSet('nn', 5, 0, 13, 10), old: [replicaSet('o', 8, 8, 13, 10)] };
    expect(named(scaledSizes(deployment(15, 3, 2), generations))).toEqual({ o: 11, nn: 7 });
  });

  it('of old ReplicaSets are nothing once the new one is saturated', () => {
    const generations = { current: replicaSet('nn', 4, 4, 5, 4), old: [replicaSet('o', 2)] };
    expect(named(scaledSizes(deployment(4), generations))).toEqual({ o: 0 });
  });
});
