import { describe, expect, it } from 'vitest';
import { ClusterState } from '#libs/cluster-state';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { evictionVerdict, type EvictionRequest } from './verdict';

const now = Date.parse('2026-01-01T12:00:00Z');

function podNamed(name: string, status: JsonObject = {}, labels: JsonObject = { app: 'web' }): KubeObject {
  const metadata = { name, namespace: 'web', uid: `uid-${name}`, resourceVersion: '7', labels, creationTimestamp: '' };
  return { metadata, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status } } as unknown as KubeObject;
}

function budgetNamed(name: string, status: JsonObject = {}, spec: JsonObject = { selector: { matchLabels: { app: 'web' } } }): KubeObject {
  const metadata = { name, namespace: 'web', uid: `uid-${name}`, resourceVersion: '8', generation: 1, creationTimestamp: '' };
  const counted = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3, ...status };
  return { metadata, spec, status: counted } as unknown as KubeObject;
}

function clusterOf(pods: KubeObject[], budgets: KubeObject[] = []): ClusterState {
  const cluster = new ClusterState('local');
  for (const pod of pods) cluster.restore('pods', `web/${pod.metadata.name}`, pod);
  for (const budget of budgets) cluster.restore('poddisruptionbudgets.policy', `web/${budget.metadata.name}`, budget);
  return cluster;
}

function ask(cluster: ClusterState, fields: Partial<EvictionRequest> = {}, charged = false) {
  return evictionVerdict(cluster, { namespace: 'web', pod: 'a', options: {}, ...fields } as EvictionRequest, charged, now);
}

const notReady = { conditions: [{ type: 'Ready', status: 'False' }] };
const refused = "Cannot evict pod as it would violate the pod's disruption budget.";

describe('evictions that no budget is asked about', () => {
  const blocked = budgetNamed('b', { disruptionsAllowed: 0 });

  it('lets pods go that have ended, without a condition', () => {
    for (const phase of ['Succeeded', 'Failed']) {
      const verdict = ask(clusterOf([podNamed('a', { phase })], [blocked]));
      expect(verdict).toMatchObject({ kind: 'grant' });
      expect(verdict).not.toHaveProperty('resourceVersion');
    }
  });

  it('guards a pending pod by the version that was judged, unless the client named one', () => {
    const cluster = clusterOf([podNamed('a', { phase: 'Pending' })], [blocked]);
    expect(ask(cluster)).toMatchObject({ kind: 'grant', resourceVersion: '7' });
    expect(ask(cluster, { options: { preconditions: { resourceVersion: '3' } } })).not.toHaveProperty('resourceVersion');
  });

  it('lets terminating pods go', () => {
    const pod = podNamed('a');
    pod.metadata.deletionTimestamp = '2026-01-01T12:00:30Z';
    expect(ask(clusterOf([pod], [blocked]))).toMatchObject({ kind: 'grant' });
  });

  it('lets pods without a budget go, and knows that a missing selector matches none', () => {
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', {}, {})]))).toEqual({ kind: 'grant', pod: expect.anything() });
  });

  it('refuses a pod that is not there', () => {
    expect(ask(clusterOf([]))).toMatchObject({ kind: 'refuse', status: { code: 404, message: 'pods "a" not found' } });
  });
});

describe('evictions under a budget', () => {
  it('is refused under two budgets, with an answer that has no reason', () => {
    const verdict = ask(clusterOf([podNamed('a')], [budgetNamed('b'), budgetNamed('c', {}, { selector: {} })]));
    expect(verdict).toEqual({
      kind: 'refuse',
      status: {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
        code: 500,
      },
    });
  });

  it('charges the budget: one disruption less, the pod noted with its time', () => {
    const verdict = ask(clusterOf([podNamed('a')], [budgetNamed('b', { disruptionsAllowed: 2 })]));
    expect(verdict).toMatchObject({ kind: 'charge', status: { disruptionsAllowed: 1, disruptedPods: { a: '2026-01-01T12:00:00Z' } } });
    expect(verdict).not.toHaveProperty('status.conditions');
  });

  it('turns the condition when the last disruption is given away', () => {
    const verdict = ask(clusterOf([podNamed('a')], [budgetNamed('b')]));
    const condition = { type: 'DisruptionAllowed', status: 'False', observedGeneration: 1, reason: 'InsufficientPods', message: '' };
    expect(verdict).toMatchObject({
      status: { disruptionsAllowed: 0, conditions: [{ ...condition, lastTransitionTime: '2026-01-01T12:00:00Z' }] },
    });
  });

  it('grants once charged, whatever the budget says by then', () => {
    const cluster = clusterOf([podNamed('a')], [budgetNamed('b', { disruptionsAllowed: 0 })]);
    expect(ask(cluster, {}, true)).toMatchObject({ kind: 'grant', budget: 'b' });
  });

  it('judges a dry run alike and charges nothing', () => {
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b')]), { dryRun: true })).toMatchObject({ kind: 'grant' });
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', { disruptionsAllowed: 0 })]), { dryRun: true })).toMatchObject({
      kind: 'refuse',
    });
  });

  it('refuses when no disruption is left, saying what is needed', () => {
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', { disruptionsAllowed: 0 })]))).toMatchObject({
      status: {
        code: 429,
        reason: 'TooManyRequests',
        message: refused,
        details: { causes: [{ reason: 'DisruptionBudget', message: 'The disruption budget b needs 2 healthy pods and has 3 currently' }] },
      },
    });
  });

  it('refuses with a time to retry while the budget has not been computed', () => {
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', { observedGeneration: 0 })]))).toMatchObject({
      status: {
        code: 429,
        message: refused,
        details: { causes: [{ message: 'The disruption budget b is still being processed by the server.' }], retryAfterSeconds: 10 },
      },
    });
  });

  it('forbids on a negative allowance and on too many unconfirmed evictions', () => {
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', { disruptionsAllowed: -1 })]))).toMatchObject({
      status: { code: 403, message: 'poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative' },
    });
    const disruptedPods = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`p${index}`, '2026-01-01T12:00:00Z']));
    expect(ask(clusterOf([podNamed('a')], [budgetNamed('b', { disruptedPods })]))).toMatchObject({
      status: {
        code: 403,
        message: expect.stringContaining('DisruptedPods map too big - too many evictions not confirmed by PDB controller'),
      },
    });
  });
});

describe('evictions of pods that are not ready', () => {
  const spec = { selector: { matchLabels: { app: 'web' } } };

  it('cost nothing while enough others are healthy', () => {
    const healthy = budgetNamed('b', { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 });
    expect(ask(clusterOf([podNamed('a', notReady)], [healthy]))).toMatchObject({ kind: 'grant', resourceVersion: '7' });
  });

  it('are judged as others when too few are healthy, or none need be', () => {
    const short = budgetNamed('b', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 });
    expect(ask(clusterOf([podNamed('a', notReady)], [short]))).toMatchObject({ kind: 'refuse' });
    const none = budgetNamed('b', { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 });
    expect(ask(clusterOf([podNamed('a', notReady)], [none]))).toMatchObject({ kind: 'refuse' });
  });

  it('are always allowed where the budget says so', () => {
    const always = budgetNamed('b', { disruptionsAllowed: 0, currentHealthy: 0 }, { ...spec, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect(ask(clusterOf([podNamed('a', notReady)], [always]))).toMatchObject({ kind: 'grant', resourceVersion: '7' });
  });
});
