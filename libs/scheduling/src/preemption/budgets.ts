import type { KubeObject } from '#libs/kernel';
import type { ObjectTable } from '../framework/listers';
import type { PodInfo } from '../framework/pod-info';
import type { Selector } from '../framework/selectors';
import { compileLabelSelector, isEmptySelector, selectorMatches } from '../framework/selectors';

interface Budget {
  readonly selector: Selector;
  readonly disruptedPods: Readonly<Record<string, unknown>>;
  readonly allowed: number;
}

const compiled = new WeakMap<KubeObject, Budget>();

function budgetOf(pdb: KubeObject): Budget {
  let budget = compiled.get(pdb);
  if (budget === undefined) {
    budget = {
      selector: compileLabelSelector(pdb.spec?.selector),
      disruptedPods: pdb.status?.disruptedPods ?? {},
      allowed: pdb.status?.disruptionsAllowed ?? 0,
    };
    compiled.set(pdb, budget);
  }
  return budget;
}

/** Unlike the eviction API, preemption takes an empty selector to cover no pod; nor is a pod without labels ever covered. */
function covers(budget: Budget, pod: PodInfo): boolean {
  if (isEmptySelector(budget.selector) || !selectorMatches(budget.selector, pod.labels)) return false;
  // Already processed by the eviction API, so already taken off what is allowed.
  return !Object.hasOwn(budget.disruptedPods, pod.name);
}

/**
 * Which pods, taken in the order given, would go beyond a budget. Every budget that covers a pod is charged, even when another one
 * is exceeded already.
 */
export function splitByBudgets(pods: readonly PodInfo[], budgets: ObjectTable): { violating: PodInfo[]; nonViolating: PodInfo[] } {
  if (budgets.isEmpty) return { violating: [], nonViolating: [...pods] };
  const left = new Map<Budget, number>();
  const violating: PodInfo[] = [];
  const nonViolating: PodInfo[] = [];
  for (const pod of pods) {
    let isViolating = false;
    if (Object.keys(pod.labels).length > 0) {
      for (const pdb of budgets.inNamespace(pod.namespace)) {
        const budget = budgetOf(pdb);
        if (!covers(budget, pod)) continue;
        const allowed = (left.get(budget) ?? budget.allowed) - 1;
        left.set(budget, allowed);
        if (allowed < 0) isViolating = true;
      }
    }
    (isViolating ? violating : nonViolating).push(pod);
  }
  return { violating, nonViolating };
}
