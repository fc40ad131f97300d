import { isReady, type ClusterState, type ObjectChange } from '#libs/cluster-state';
import { keyOf, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { LabelSelector } from '#libs/kube-api';
import { budgets } from '../budget/budget';
import { selectorOf } from '../loop/selector';

interface Members {
  selector: LabelSelector;
  pods: Set<ObjectKey>;
}

/**
 * Which pods each budget selects, kept as pods and budgets change: a pod's change costs a look at the budgets of its namespace,
 * and a budget's count a walk over its own pods, never over all.
 */
export class BudgetMembers {
  private readonly namespaces = new Map<string, Map<ObjectKey, Members>>();

  constructor(cluster: ClusterState) {
    for (const budget of cluster.table(budgets).objects.values()) {
      this.budgetsIn(budget.metadata.namespace as string).set(keyOf(budget), { selector: selectorOf(budget), pods: new Set() });
    }
    for (const [key, pod] of cluster.table('pods').objects) this.placePod(key, pod);
  }

  /** The pods of a budget, in order of name. */
  podsOf(cluster: ClusterState, budget: KubeObject): KubeObject[] {
    const members = this.namespaces.get(budget.metadata.namespace as string)?.get(keyOf(budget));
    const pods: KubeObject[] = [];
    for (const key of members ? [...members.pods].sort() : []) {
      const pod = cluster.byKey('pods', key);
      if (pod) pods.push(pod);
    }
    return pods;
  }

  /** The budgets that select a pod, by name. */
  budgetsOf(pod: KubeObject): string[] {
    const key = keyOf(pod);
    const members = [...(this.namespaces.get(pod.metadata.namespace as string) ?? [])];
    return members.flatMap(([budget, { pods }]) => (pods.has(key) ? [budget.slice(budget.indexOf('/') + 1)] : [])).sort();
  }

  /** Follows a change and names the budgets that must be counted again for it. */
  follow(change: ObjectChange, cluster: ClusterState): ObjectKey[] {
    if (change.resource === budgets) return this.followBudget(change, cluster);
    return change.resource === 'pods' ? this.followPod(change) : [];
  }

  private followBudget({ key, namespace, type, object }: ObjectChange, cluster: ClusterState): ObjectKey[] {
    const inNamespace = this.budgetsIn(namespace);
    if (type === 'DELETED') {
      inNamespace.delete(key);
      if (inNamespace.size === 0) this.namespaces.delete(namespace);
      return [];
    }
    const selector = selectorOf(object);
    if (inNamespace.get(key)?.selector === selector) return [key];
    const members: Members = { selector, pods: new Set() };
    inNamespace.set(key, members);
    const prefix = `${namespace}/`;
    for (const [podKey, pod] of cluster.table('pods').objects) {
      if (podKey.startsWith(prefix) && selector.matches(pod.metadata.labels)) members.pods.add(podKey);
    }
    return [key];
  }

  private followPod({ key, namespace, type, before, object }: ObjectChange): ObjectKey[] {
    const inNamespace = this.namespaces.get(namespace);
    if (!inNamespace) return [];
    if (type === 'MODIFIED' && before && countsAlike(before, object)) return [];
    const gone = type === 'DELETED';
    const touched: ObjectKey[] = [];
    for (const [budget, members] of inNamespace) {
      const had = members.pods.has(key);
      const has = !gone && members.selector.matches(object.metadata.labels);
      if (has) members.pods.add(key);
      else if (had) members.pods.delete(key);
      // As upstream, a pod whose labels leave the selector is noticed at the budget's next count only.
      if (has || (gone && had)) touched.push(budget);
    }
    return touched;
  }

  private placePod(key: ObjectKey, pod: KubeObject): void {
    for (const members of this.namespaces.get(pod.metadata.namespace as string)?.values() ?? []) {
      if (members.selector.matches(pod.metadata.labels)) members.pods.add(key);
    }
  }

  private budgetsIn(namespace: string): Map<ObjectKey, Members> {
    let found = this.namespaces.get(namespace);
    if (!found) this.namespaces.set(namespace, (found = new Map()));
    return found;
  }
}

/** Whether a budget counts both versions of a pod the same way. */
function countsAlike(before: KubeObject, after: KubeObject): boolean {
  return (
    before.metadata.labels === after.metadata.labels &&
    before.metadata.uid === after.metadata.uid &&
    before.metadata.ownerReferences === after.metadata.ownerReferences &&
    (before.metadata.deletionTimestamp === undefined) === (after.metadata.deletionTimestamp === undefined) &&
    isReady(before) === isReady(after)
  );
}
