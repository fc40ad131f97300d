import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector } from '#libs/kube-api';

/** A budget that the removal of a pod would overspend, and what it allowed before any was removed. */
export interface OverspentBudget {
  name: string;
  left: number;
}

/**
 * Which pods, taken in the order given, go beyond a budget, by uid: as the scheduler charges them in a dry run of preemption
 * (upstream `filterPodsWithPDBViolation`), with the budget's name.
 */
export function overspentBudgets(pods: readonly KubeObject[], cluster: ClusterState): Map<string, OverspentBudget> {
  const budgets = [...cluster.list('poddisruptionbudgets.policy')].map((budget) => ({
    namespace: budget.metadata.namespace,
    name: budget.metadata.name,
    selector: budget.spec?.selector as Record<string, unknown> | undefined,
    disrupted: (budget.status?.disruptedPods as Record<string, unknown> | undefined) ?? {},
    allowed: (budget.status?.disruptionsAllowed as number | undefined) ?? 0,
    left: (budget.status?.disruptionsAllowed as number | undefined) ?? 0,
  }));
  const overspent = new Map<string, OverspentBudget>();
  for (const pod of pods) {
    const { labels = {}, namespace, name, uid } = pod.metadata;
    if (Object.keys(labels).length === 0) continue;
    for (const budget of budgets) {
      // Preemption takes an empty selector to cover no pod, and has done with those that the eviction API has charged already.
      const { selector } = budget;
      if (budget.namespace !== namespace || !selector || Object.keys(selector).length === 0 || Object.hasOwn(budget.disrupted, name))
        continue;
      if (!compileObjectSelector(selector as never).matches(labels)) continue;
      budget.left--;
      if (budget.left < 0 && !overspent.has(uid)) overspent.set(uid, { name: budget.name, left: budget.allowed });
    }
  }
  return overspent;
}
