import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { usageAt } from '../behaviour';
import { aRun } from '../pod-lifecycle/runtime/runs.fixture';
import { withUsageOfObjects } from './resource-usage';

const startedAt = Date.parse('2026-01-01T00:01:00Z');

const podWith = (annotations?: Record<string, string>): KubeObject =>
  ({
    metadata: { name: 'p', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z', ...(annotations ? { annotations } : {}) },
    spec: { containers: [{ name: 'app' }] },
  }) as KubeObject;

function clusterWith(objects: { resource: string; namespace?: string; name: string; spec: object }[]): ClusterState {
  const cluster = new ClusterState('local');
  for (const { resource, namespace, name, spec } of objects) {
    const object = { metadata: { name, namespace, uid: name, creationTimestamp: '' }, spec } as unknown as KubeObject;
    cluster.table(`${resource}.kwok.x-k8s.io`).set(`${namespace ?? ''}/${name}`, object);
  }
  return cluster;
}

const many = (spec: object) => ({ resource: 'clusterresourceusages', name: 'all', spec });
const uses = (usage: object, more: object = {}) => ({ usages: [{ usage, ...more }] });

function used(cluster: ClusterState, pod = podWith(), does: Record<string, string> = {}) {
  return withUsageOfObjects(cluster, pod, aRun('app', { state: 'running', startedAt, does }));
}

describe('what kwok says of the use of containers', () => {
  it('is a quantity, by container, for pods that are selected', () => {
    const spec = {
      selector: { matchNamespaces: ['n'] },
      usages: [
        { containers: ['other'], usage: { cpu: { value: '9' } } },
        ...uses({ cpu: { value: '250m' }, memory: { value: '1Gi' } }).usages,
      ],
    };
    const { cpu, memory } = used(clusterWith([many(spec)]));
    expect([usageAt(cpu, 0), usageAt(memory, 0)]).toEqual([250, 1_073_741_824]);
    expect(used(clusterWith([many({ ...spec, selector: { matchNames: ['q'] } })])).cpu).toEqual([]);
  });

  it('is told by the object of the pod itself first, and by annotations before all', () => {
    const own = { resource: 'resourceusages', namespace: 'n', name: 'p', spec: uses({ cpu: { value: '1' } }) };
    const cluster = clusterWith([many(uses({ cpu: { value: '2' } })), own]);
    expect(usageAt(used(cluster).cpu, 0)).toBe(1_000);
    expect(usageAt(used(cluster, podWith(), { cpu: '5m' }).cpu, 0)).toBe(5);
  });

  it('may be an expression on the pod', () => {
    const expression =
      '"example.com/cpu" in pod.metadata.annotations ? Quantity(pod.metadata.annotations["example.com/cpu"]) : Quantity("1m")';
    const cluster = clusterWith([many(uses({ cpu: { expression } }))]);
    expect(usageAt(used(cluster).cpu, 0)).toBe(1);
    expect(usageAt(used(cluster, podWith({ 'example.com/cpu': '1500m' })).cpu, 0)).toBe(1_500);
  });

  it('may go by the time', () => {
    const cluster = clusterWith([many(uses({ memory: { expression: 'Quantity("1Mi") * pod.SinceSecond()' } }))]);
    const { memory } = used(cluster);
    expect([0, 9_999, 10_000, 60_000].map((ms) => (usageAt(memory, ms) ?? 0) / 1_048_576)).toEqual([60, 60, 70, 120]);
    expect(used(cluster).memory).toEqual(memory);
  });

  it.each(['Quantity("much")', 'nosuch(pod)', '"text"', '1 +'])('is nothing where %j cannot be told', (expression) => {
    expect(used(clusterWith([many(uses({ cpu: { expression } }))])).cpu).toEqual([]);
  });
});
