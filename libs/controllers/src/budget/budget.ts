import { conditionOf } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { compileObjectSelector, type LabelSelector } from '#libs/kube-api';

export const budgets = 'poddisruptionbudgets.policy';

/** How long a pod may stay after its eviction was allowed before its budget gets the disruption back (upstream DeletionTimeout), ms. */
export const disruptionTimeoutMs = 120_000;

/** Objects are immutable and share what did not change, so a selector is compiled once for all versions of its budget. */
const compiled = new WeakMap<object, LabelSelector>();

/** An empty selector matches every pod of the namespace, a missing one none (policy/v1). */
export function budgetSelector(budget: KubeObject): LabelSelector {
  const selector = budget.spec?.selector as object | undefined;
  if (!selector) return compileObjectSelector(undefined);
  let found = compiled.get(selector);
  if (!found) compiled.set(selector, (found = compileObjectSelector(selector)));
  return found;
}

/** Health, as budgets see it, is readiness. */
export function isReady(pod: KubeObject): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}

export function isTerminal(pod: KubeObject): boolean {
  const phase = pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
}
