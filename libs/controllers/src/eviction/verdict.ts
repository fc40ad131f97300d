import { isReady, isTerminal, type ClusterState } from '#libs/cluster-state';
import type { EventData } from '#libs/events';
import { formatTime, type KubeObject } from '#libs/kernel';
import {
  disruptionBudgetExhausted,
  disruptionBudgetUnprocessed,
  forbiddenRequest,
  notFound,
  severalDisruptionBudgets,
  type Status,
} from '#libs/kube-api';
import { budgets } from '../budget/budget';
import { selectorOf } from '../loop/selector';
import { statusOf, withAllowedCondition, type BudgetStatus } from '../budget/budget-status';

/** More evictions than this, not yet confirmed by the disruption controller, and a budget grants no more. */
export const disruptedPodsMax = 2_000;

export type Verdict =
  /** `budget`: the one charged. `resourceVersion`: the deletion must find the pod as it was judged. */
  | { kind: 'grant'; pod: KubeObject; budget?: string; resourceVersion?: string }
  /** First the budget must be charged: its status is to become this. */
  | { kind: 'charge'; budget: KubeObject; status: BudgetStatus }
  | { kind: 'refuse'; status: Status };

export type EvictionRequest = EventData<'EvictionRequested'>;

/**
 * The budgets' word on an eviction (upstream `EvictionREST.Create`).
 * @param charged the budget has been charged for this request already
 */
export function evictionVerdict(cluster: ClusterState, request: EvictionRequest, charged: boolean, now: number): Verdict {
  const pod = cluster.get('pods', request.namespace, request.pod);
  if (!pod) return { kind: 'refuse', status: notFound('pods', request.pod) };
  if (!charged && needsNoBudget(pod)) return bypass(pod, request);
  const matching = budgetsOfPod(cluster, pod);
  if (matching.length > 1) return { kind: 'refuse', status: severalDisruptionBudgets() };
  const budget = matching[0];
  if (!budget) return { kind: 'grant', pod };
  if (charged) return { kind: 'grant', pod, budget: budget.metadata.name };
  if (!isReady(pod) && unhealthyMayGo(budget)) return { kind: 'grant', pod, resourceVersion: pod.metadata.resourceVersion };
  return charge(pod, budget, request.dryRun === true, now);
}

/** Such a pod serves nobody, or is going anyway: no budget is asked. */
function needsNoBudget(pod: KubeObject): boolean {
  return isTerminal(pod) || pod.status?.phase === 'Pending' || pod.metadata.deletionTimestamp !== undefined;
}

/** A pending pod may start any moment: unless the client named a version, the deletion must find it as it was seen here. */
function bypass(pod: KubeObject, request: EvictionRequest): Verdict {
  const preconditions = request.options.preconditions as { resourceVersion?: string } | undefined;
  const guarded = !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined && !preconditions?.resourceVersion;
  return { kind: 'grant', pod, ...(guarded ? { resourceVersion: pod.metadata.resourceVersion } : {}) };
}

/** The budgets that cover a pod: those of its namespace whose selector matches. An eviction is refused where there are two (upstream). */
export function budgetsOfPod(cluster: ClusterState, pod: KubeObject): KubeObject[] {
  const found: KubeObject[] = [];
  for (const budget of cluster.list(budgets, pod.metadata.namespace)) {
    if (selectorOf(budget).matches(pod.metadata.labels)) found.push(budget);
  }
  return found;
}

/** Pods that are not ready count for nothing, so they may go: always, or as long as enough others are healthy. */
function unhealthyMayGo(budget: KubeObject): boolean {
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy, desiredHealthy } = statusOf(budget);
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** Upstream `checkAndDecrement`; a dry run is judged alike and charges nothing. */
function charge(pod: KubeObject, budget: KubeObject, dryRun: boolean, now: number): Verdict {
  const name = budget.metadata.name;
  const status = statusOf(budget);
  const disrupted = status.disruptedPods ?? {};
  const refuse = (refusal: Status): Verdict => ({ kind: 'refuse', status: refusal });
  if ((status.observedGeneration ?? 0) < (budget.metadata.generation ?? 0)) return refuse(disruptionBudgetUnprocessed(name));
  if (status.disruptionsAllowed < 0) return refuse(budgetForbids(name, 'pdb disruptions allowed is negative'));
  if (Object.keys(disrupted).length > disruptedPodsMax) {
    return refuse(budgetForbids(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller'));
  }
  if (status.disruptionsAllowed === 0) return refuse(disruptionBudgetExhausted(name, status.desiredHealthy, status.currentHealthy));
  if (dryRun) return { kind: 'grant', pod };
  const charged: BudgetStatus = {
    ...status,
    disruptedPods: { ...disrupted, [pod.metadata.name]: formatTime(now) },
    disruptionsAllowed: status.disruptionsAllowed - 1,
  };
  return { kind: 'charge', budget, status: charged.disruptionsAllowed === 0 ? withAllowedCondition(charged, now) : charged };
}

function budgetForbids(name: string, text: string): Status {
  return forbiddenRequest('poddisruptionbudget.policy', name, text);
}
