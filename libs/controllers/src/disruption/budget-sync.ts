import { isReady, type ClusterState } from '#libs/cluster-state';
import type { Reconciliation } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { jsonEqual, parseTime, type KubeObject } from '#libs/kernel';
import { budgets, disruptionTimeoutMs } from '../budget/budget';
import { statusOf, withAllowedCondition, withSyncFailure, type BudgetStatus } from '../budget/budget-status';
import { expectedPodsOf } from './expected-pods';
import { goSelectorText } from './selector-text';

const component = 'controllermanager';

/** Counts a budget's pods and brings its status up to date (upstream `trySync`, `failSafe`). */
export function syncBudget(
  cluster: ClusterState,
  budget: KubeObject,
  pods: readonly KubeObject[],
  now: number,
): Reconciliation | undefined {
  const before = statusOf(budget);
  const reports: Fact[] = pods.length === 0 ? [report(budget, budgets, 'Normal', 'NoPods', 'No matching pods found')] : [];
  const expected = expectedPodsOf(cluster, budget, pods);
  if ('error' in expected) {
    const text = `Failed to calculate the number of expected pods: ${expected.error}`;
    reports.push(report(budget, budgets, 'Warning', 'CalculateExpectedPodCountFailed', text));
    return statusDecision(budget, withSyncFailure(before, expected.error, now), [], reports);
  }
  if (expected.unmanaged) reports.push(report(budget, budgets, 'Warning', 'UnmanagedPods', unmanagedText(budget)));
  const disrupted = disruptedPodsOf(budget, before, pods, now);
  const currentHealthy = pods.filter(
    (pod) => !pod.metadata.deletionTimestamp && !disrupted.kept.has(pod.metadata.name) && isReady(pod),
  ).length;
  const { expectedPods, desiredHealthy } = expected;
  const spare = currentHealthy - desiredHealthy;
  const counts = { disruptionsAllowed: expectedPods > 0 && spare > 0 ? spare : 0, currentHealthy, desiredHealthy, expectedPods };
  const { disruptedPods: _, ...rest } = before;
  const counted: BudgetStatus = {
    ...rest,
    ...counts,
    observedGeneration: budget.metadata.generation,
    ...(disrupted.kept.size > 0 ? { disruptedPods: Object.fromEntries(disrupted.kept) } : {}),
  };
  const after = withAllowedCondition(counted, now);
  const decision = statusDecision(budget, after, [fact('DisruptionBudgetRecomputed', counts)], [...reports, ...disrupted.reports]);
  return disrupted.recheckAt === undefined ? decision : { ...(decision ?? { steps: [] }), wakeAt: disrupted.recheckAt };
}

/** Tells that a pod has several budgets, of which an eviction cannot choose (upstream `getPdbForPod`). Here each of them is counted all the same. */
export function reportOverlap(pod: KubeObject, names: readonly string[]): Reconciliation | undefined {
  if (names.length < 2) return undefined;
  const { namespace, name } = pod.metadata;
  const text = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(names[0])} arbitrarily.`;
  return { records: [report(pod, 'pods', 'Warning', 'MultiplePodDisruptionBudgets', text)], steps: [] };
}

interface DisruptedPods {
  /** Evictions still expected to lead to a deletion. */
  kept: Map<string, string>;
  reports: Fact[];
  /** When the next of them lapses. */
  recheckAt: number | undefined;
}

/** An entry goes with its pod, when the pod is terminating, or after two minutes in which neither happened. */
function disruptedPodsOf(budget: KubeObject, status: BudgetStatus, pods: readonly KubeObject[], now: number): DisruptedPods {
  const result: DisruptedPods = { kept: new Map(), reports: [], recheckAt: undefined };
  const entries = status.disruptedPods;
  if (!entries) return result;
  for (const pod of pods) {
    const name = pod.metadata.name;
    const since = Object.hasOwn(entries, name) ? entries[name] : undefined;
    if (since === undefined || pod.metadata.deletionTimestamp) continue;
    const lapses = (parseTime(since) ?? 0) + disruptionTimeoutMs;
    if (lapses <= now) {
      // Upstream names the namespace twice.
      const { namespace } = budget.metadata;
      const text = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      result.reports.push(report(pod, 'pods', 'Warning', 'NotDeleted', text));
      continue;
    }
    result.kept.set(name, since);
    result.recheckAt = Math.min(result.recheckAt ?? lapses, lapses);
  }
  return result;
}

/** What is wrong with a budget is told at every look, whether its status changes or not. */
function statusDecision(budget: KubeObject, status: BudgetStatus, facts: Fact[], reports: Fact[]): Reconciliation | undefined {
  if (jsonEqual(budget.status, status)) return reports.length === 0 ? undefined : { records: reports, steps: [] };
  const { namespace, name, uid, resourceVersion } = budget.metadata;
  const target = { resource: budgets, namespace, name };
  return {
    records: reports,
    steps: [
      {
        step: 'status',
        request: { verb: 'record', target, uid, ifVersion: resourceVersion, facts, after: { ...budget, status } as KubeObject },
      },
    ],
  };
}

function report(object: KubeObject, resource: string, type: string, reason: string, message: string): Fact {
  const { namespace = '', name, uid } = object.metadata;
  return fact('Reported', { resource, namespace, name, uid, type, reason, message, component });
}

function unmanagedText(budget: KubeObject): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${goSelectorText(budget.spec?.selector)}) were found to be unmanaged. ` +
    'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. ' +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}
