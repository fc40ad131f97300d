import type { AffinityTerm } from '../../framework/affinity-terms';
import { allTermsMatch, resolveNamespaces, termMatches } from '../../framework/affinity-terms';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels } from '../../framework/selectors';
import { labelOf } from '../../framework/selectors';
import { ExistingAntiAffinity, OwnTermCounts } from './term-counts';
import { TopologyCounts } from './topology-counts';

/** What the required terms, of the pod and of the pods that are there, come to. */
export class AffinityState implements StateData {
  constructor(
    /** The pod's own terms, their namespace selectors resolved. */
    readonly affinity: readonly AffinityTerm[],
    readonly antiAffinity: readonly AffinityTerm[],
    readonly namespaceLabels: Labels,
    /** Pods by whose required anti-affinity the pod is refused. */
    readonly existingAntiAffinity: TopologyCounts,
    /** Pods that match all affinity terms, counted for each term. */
    readonly affinityCounts: TopologyCounts,
    readonly antiAffinityCounts: TopologyCounts,
  ) {}

  clone(): AffinityState {
    return new AffinityState(
      this.affinity,
      this.antiAffinity,
      this.namespaceLabels,
      this.existingAntiAffinity.clone(),
      this.affinityCounts.clone(),
      this.antiAffinityCounts.clone(),
    );
  }

  /** Takes one more (amount 1) or one less (-1) pod on the node into account. */
  update(pod: PodInfo, other: PodInfo, node: NodeInfo, amount: 1 | -1): void {
    for (const term of other.requiredAntiAffinity) {
      if (termMatches(term, pod, this.namespaceLabels)) this.existingAntiAffinity.add(node, term.topologyKey, amount);
    }
    if (allTermsMatch(this.affinity, other)) this.affinityCounts.addTerms(this.affinity, node, amount);
    for (const term of this.antiAffinity) {
      if (termMatches(term, other, undefined)) this.antiAffinityCounts.add(node, term.topologyKey, amount);
    }
  }

  /** Every term's domain must hold a matching pod; the first pod of a series that has affinity to itself only needs the keys. */
  satisfiesAffinity(pod: PodInfo, node: NodeInfo): boolean {
    let podsExist = true;
    for (const term of this.affinity) {
      const value = labelOf(node.labels, term.topologyKey);
      if (value === undefined) return false;
      if (this.affinityCounts.get(term.topologyKey, value) <= 0) podsExist = false;
    }
    return podsExist || (this.affinityCounts.isEmpty && allTermsMatch(this.affinity, pod));
  }

  satisfiesAntiAffinity(node: NodeInfo): boolean {
    if (this.antiAffinityCounts.isEmpty) return true;
    for (const term of this.antiAffinity) {
      const value = labelOf(node.labels, term.topologyKey);
      if (value !== undefined && this.antiAffinityCounts.get(term.topologyKey, value) > 0) return false;
    }
    return true;
  }

  satisfiesExistingAntiAffinity(node: NodeInfo): boolean {
    return !this.existingAntiAffinity.anyAt(node);
  }
}

export const affinityKey = stateKey<AffinityState>('InterPodAffinity/required');

const noCounts = new TopologyCounts();

/** Counts over the whole cluster, kept from attempt to attempt; undefined when no required term concerns the pod. */
export function computeAffinityState(state: CycleState, pod: PodInfo): AffinityState | undefined {
  const { snapshot } = state.cycle;
  const { listers, memos } = snapshot;
  const namespaceLabels = listers.namespaceLabels(pod.namespace);
  const namespacesVersion = listers.table('namespaces').version;
  let existing = noCounts;
  if (snapshot.nodesWithRequiredAntiAffinity.size > 0) {
    const key = `existing anti-affinity ${JSON.stringify([namespacesVersion, pod.namespace, pod.labels])}`;
    existing = memos.aggregate(key, () => new ExistingAntiAffinity(pod, namespaceLabels)).update(snapshot).counts;
  }
  if (pod.requiredAffinity.length + pod.requiredAntiAffinity.length === 0) {
    return existing.isEmpty ? undefined : new AffinityState([], [], namespaceLabels, existing, noCounts, noCounts);
  }
  const resolve = (term: AffinityTerm): AffinityTerm => resolveNamespaces(term, (selector) => listers.namespacesMatching(selector));
  const affinity = pod.requiredAffinity.map(resolve);
  const antiAffinity = pod.requiredAntiAffinity.map(resolve);
  const ids = [affinity.map((term) => term.id), antiAffinity.map((term) => term.id)];
  const own = memos
    .aggregate(`own terms ${JSON.stringify([namespacesVersion, ids])}`, () => new OwnTermCounts(affinity, antiAffinity))
    .update(snapshot);
  return new AffinityState(affinity, antiAffinity, namespaceLabels, existing, own.affinity, own.antiAffinity);
}
