import type { AffinityTerm } from '../../framework/affinity-terms';
import { allTermsMatch, resolveNamespaces, termMatches } from '../../framework/affinity-terms';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels } from '../../framework/selectors';
import { labelOf } from '../../framework/selectors';
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
    this.countOwnTerms(other, node, amount);
  }

  countOwnTerms(other: PodInfo, node: NodeInfo, amount: 1 | -1): void {
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

/** Counts over the whole cluster; undefined when no required term concerns the pod. */
export function computeAffinityState(state: CycleState, pod: PodInfo): AffinityState | undefined {
  const { snapshot } = state.cycle;
  const resolve = (term: AffinityTerm): AffinityTerm => resolveNamespaces(term, (selector) => snapshot.listers.namespacesMatching(selector));
  const data = new AffinityState(
    pod.requiredAffinity.map(resolve),
    pod.requiredAntiAffinity.map(resolve),
    snapshot.listers.namespaceLabels(pod.namespace),
    new TopologyCounts(),
    new TopologyCounts(),
    new TopologyCounts(),
  );
  for (const node of snapshot.nodesWithRequiredAntiAffinity) {
    for (const other of node.podsWithRequiredAntiAffinity) {
      for (const term of other.requiredAntiAffinity) {
        if (termMatches(term, pod, data.namespaceLabels)) data.existingAntiAffinity.add(node, term.topologyKey, 1);
      }
    }
  }
  if (data.affinity.length + data.antiAffinity.length === 0) return data.existingAntiAffinity.isEmpty ? undefined : data;
  for (const node of snapshot.nodes) for (const other of node.pods) data.countOwnTerms(other, node, 1);
  return data;
}
