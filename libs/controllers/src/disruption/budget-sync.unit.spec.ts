import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { Reconciliation } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { definitionResource } from '#libs/kube-api';
import { syncBudget } from './budget-sync';
import { established } from './recorded-session.fixture';
import { goSelectorText } from './selector-text';

const now = Date.parse('2026-01-01T12:00:00Z');

function budget(spec: JsonObject, status: JsonObject = {}): KubeObject {
  const metadata = { name: 'b', namespace: 'web', uid: 'b', resourceVersion: '5', generation: 1, creationTimestamp: '' };
  return { metadata, spec: { selector: { matchLabels: { app: 'web' } }, ...spec }, status };
}

function pod(name: string, ready = true, owner?: { apiVersion: string; kind: string; name: string }): KubeObject {
  const ownerReferences = owner ? [{ ...owner, uid: owner.name, controller: true }] : undefined;
  const metadata = { name, namespace: 'web', uid: name, creationTimestamp: '', ...(ownerReferences ? { ownerReferences } : {}) };
  return { metadata, status: { conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] } };
}

function withReplicaSet(replicas: number): ClusterState {
  const cluster = new ClusterState('local');
  cluster.restore('replicasets.apps', 'web/rs', {
    metadata: { name: 'rs', namespace: 'web', uid: 'rs', creationTimestamp: '' },
    spec: { replicas },
  });
  return cluster;
}

const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs' };
const reasons = (found: Reconciliation | undefined): unknown[] | undefined => found?.records?.map(({ data }) => data.reason);

function recomputed(found: Reconciliation | undefined): JsonObject | undefined {
  const request = found?.steps[0]?.request;
  return request?.verb === 'record' ? request.facts.find(({ type }) => type === 'DisruptionBudgetRecomputed')?.data : undefined;
}

describe('a budget', () => {
  it.each<[JsonObject, JsonObject]>([
    [{ minAvailable: 2 }, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: '50%' }, { expectedPods: 5, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 }],
    [{ maxUnavailable: '30%' }, { expectedPods: 5, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 }],
    [{ maxUnavailable: 3 }, { expectedPods: 5, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 9 }, { expectedPods: 5, desiredHealthy: 0, currentHealthy: 3, disruptionsAllowed: 3 }],
    [{}, { expectedPods: 0, desiredHealthy: 0, currentHealthy: 3, disruptionsAllowed: 0 }],
  ])('of %j counts three of five pods as %j', (spec, counts) => {
    const pods = ['a', 'b', 'c'].map((name) => pod(name, true, replicaSet));
    expect(recomputed(syncBudget(withReplicaSet(5), budget(spec), pods, now))).toEqual(counts);
  });

  it('counts what a custom kind is scaled to, where its definition says that it stands', () => {
    const cluster = new ClusterState('local');
    const scale = { specReplicasPath: '.spec.size.wanted', statusReplicasPath: '.status.size' };
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const names = { plural: 'widgets', kind: 'Widget' };
    const definition = established({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names,
        versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { scale } }],
      },
    });
    cluster.restore(definitionResource, '/widgets.example.com', definition);
    const widget = (size: JsonObject): void =>
      cluster.restore('widgets.example.com', 'web/w', {
        metadata: { name: 'w', namespace: 'web', uid: 'w', creationTimestamp: '' },
        spec: { size },
      });
    const pods = ['a', 'b', 'c'].map((name) => pod(name, true, { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w' }));
    widget({ wanted: 5 });
    const counts = { expectedPods: 5, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 };
    expect(recomputed(syncBudget(cluster, budget({ minAvailable: '50%' }), pods, now))).toEqual(counts);
    widget({});
    const failed = syncBudget(cluster, budget({ minAvailable: '50%' }), pods, now)?.records?.map(({ data }) => data.message);
    expect(failed).toEqual([expect.stringContaining('the spec replicas field ".spec.size.wanted" does not exist')]);
  });

  it('is left alone when nothing has changed', () => {
    const pods = [pod('a')];
    const found = syncBudget(new ClusterState('local'), budget({ minAvailable: 1 }), pods, now);
    const request = found?.steps[0]?.request;
    const status = request?.verb === 'record' ? (request.after?.status as JsonObject) : undefined;
    expect(syncBudget(new ClusterState('local'), budget({ minAvailable: 1 }, status), pods, now)).toBeUndefined();
  });

  it('says that there are no pods, or that they have no controller', () => {
    expect(reasons(syncBudget(new ClusterState('local'), budget({ minAvailable: 1 }), [], now))).toEqual(['NoPods']);
    expect(reasons(syncBudget(new ClusterState('local'), budget({ maxUnavailable: 1 }), [pod('a')], now))).toEqual(['UnmanagedPods']);
  });

  it('allows nothing while its pods cannot be counted, and keeps what it counted last', () => {
    const orphan = pod('a', true, { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'nobody' });
    const found = syncBudget(
      new ClusterState('local'),
      budget({ maxUnavailable: 1 }, { disruptionsAllowed: 1, currentHealthy: 4 }),
      [orphan],
      now,
    );
    expect(reasons(found)).toEqual(['CalculateExpectedPodCountFailed']);
    expect(JSON.stringify(found?.steps)).toContain('found no controllers for pod \\"a\\"');
    const job = pod('a', true, { apiVersion: 'batch/v1', kind: 'Job', name: 'j' });
    expect(JSON.stringify(syncBudget(new ClusterState('local'), budget({ maxUnavailable: 1 }), [job], now))).toContain(
      'jobs.batch does not implement the scale subresource',
    );
  });

  it('looks again when the next eviction lapses, and says so when it has', () => {
    const status = { disruptedPods: { a: '2026-01-01T11:59:00Z', b: '2026-01-01T11:50:00Z', gone: '2026-01-01T12:00:00Z' } };
    const found = syncBudget(new ClusterState('local'), budget({ minAvailable: 1 }, status), [pod('a'), pod('b')], now);
    expect(found?.wakeAt).toBe(now + 60_000);
    expect(reasons(found)).toEqual(['NotDeleted']);
    expect(recomputed(found)).toMatchObject({ currentHealthy: 1 });
  });
});

describe('selectors in texts', () => {
  it('are printed as Go prints them', () => {
    const selector = { matchLabels: { b: '2', a: '1' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] };
    expect(goSelectorText(selector)).toBe(
      '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
    );
  });
});
