import type { AffinityTerm, WeightedAffinityTerm } from '../../framework/affinity-terms';
import { resolveNamespaces, termMatches } from '../../framework/affinity-terms';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels } from '../../framework/selectors';
import { labelOf } from '../../framework/selectors';

/** What each topology value is worth: by key, then by value. A pair may be worth 0; that none is listed means nothing matched. */
export class TopologyScores implements StateData {
  readonly byKey = new Map<string, Map<string, number>>();

  clone(): this {
    return this;
  }

  add(key: string, value: string, amount: number): void {
    let values = this.byKey.get(key);
    if (values === undefined) this.byKey.set(key, (values = new Map()));
    values.set(value, (values.get(value) ?? 0) + amount);
  }

  of(node: NodeInfo): number {
    let sum = 0;
    for (const [key, values] of this.byKey) {
      const value = labelOf(node.labels, key);
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }
}

export const scoresKey = stateKey<TopologyScores>('InterPodAffinity/scores');

export interface ScoringArgs {
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** Sums the preferred terms of both sides, and the required affinity of pods that are there; undefined when nothing is to be scored. */
export function computeScores(state: CycleState, pod: PodInfo, args: ScoringArgs): TopologyScores | undefined {
  const hasPreferences = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !hasPreferences) return undefined;
  const { snapshot } = state.cycle;
  const resolve = (term: WeightedAffinityTerm): WeightedAffinityTerm =>
    resolveNamespaces(term, (selector) => snapshot.listers.namespacesMatching(selector));
  const sum = new PreferenceSum(
    pod,
    pod.preferredAffinity.map(resolve),
    pod.preferredAntiAffinity.map(resolve),
    snapshot.listers.namespaceLabels(pod.namespace),
    args.hardPodAffinityWeight,
  );
  if (hasPreferences) for (const node of snapshot.nodes) for (const other of node.pods) sum.take(other, node);
  // Without preferences of its own only pods with affinity can have something to say.
  else for (const node of snapshot.nodesWithAffinity) for (const other of node.podsWithAffinity) sum.take(other, node);
  return sum.scores.byKey.size === 0 ? undefined : sum.scores;
}

class PreferenceSum {
  readonly scores = new TopologyScores();

  constructor(
    private readonly pod: PodInfo,
    private readonly affinity: readonly WeightedAffinityTerm[],
    private readonly antiAffinity: readonly WeightedAffinityTerm[],
    private readonly namespaceLabels: Labels,
    private readonly hardWeight: number,
  ) {}

  take(other: PodInfo, node: NodeInfo): void {
    for (const term of this.affinity) this.apply(term, other, undefined, node, term.weight);
    for (const term of this.antiAffinity) this.apply(term, other, undefined, node, -term.weight);
    if (!other.hasAffinity) return;
    if (this.hardWeight > 0) {
      for (const term of other.requiredAffinity) this.apply(term, this.pod, this.namespaceLabels, node, this.hardWeight);
    }
    for (const term of other.preferredAffinity) this.apply(term, this.pod, this.namespaceLabels, node, term.weight);
    for (const term of other.preferredAntiAffinity) this.apply(term, this.pod, this.namespaceLabels, node, -term.weight);
  }

  private apply(term: AffinityTerm, subject: PodInfo, namespaceLabels: Labels | undefined, node: NodeInfo, amount: number): void {
    const value = labelOf(node.labels, term.topologyKey);
    if (value !== undefined && termMatches(term, subject, namespaceLabels)) this.scores.add(term.topologyKey, value, amount);
  }
}
