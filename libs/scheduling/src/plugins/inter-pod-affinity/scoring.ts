import type { WeightedAffinityTerm } from '../../framework/affinity-terms';
import { resolveNamespaces } from '../../framework/affinity-terms';
import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { PreferenceSums } from './term-counts';
import type { TopologyCounts } from './topology-counts';

/** What each topology value is worth to the pod. */
export class TopologyScores implements StateData {
  constructor(private readonly scores: TopologyCounts) {}

  clone(): this {
    return this;
  }

  of(node: NodeInfo): number {
    return this.scores.sumAt(node);
  }
}

export const scoresKey = stateKey<TopologyScores>('InterPodAffinity/scores');

export interface ScoringArgs {
  readonly hardPodAffinityWeight: number;
  readonly ignorePreferredTermsOfExistingPods: boolean;
}

/** Sums the preferred terms of both sides, and the required affinity of pods that are there; undefined when nobody has anything to say. */
export function computeScores(state: CycleState, pod: PodInfo, args: ScoringArgs): TopologyScores | undefined {
  const hasPreferences = pod.preferredAffinity.length + pod.preferredAntiAffinity.length > 0;
  if (args.ignorePreferredTermsOfExistingPods && !hasPreferences) return undefined;
  const { snapshot } = state.cycle;
  if (!hasPreferences && snapshot.nodesWithAffinity.size === 0) return undefined;
  const { listers, memos } = snapshot;
  const preferences = [pod.preferredAffinity, pod.preferredAntiAffinity].map((terms) => terms.map((term) => [term.id, term.weight]));
  const key = [listers.table('namespaces').version, args.hardPodAffinityWeight, pod.namespace, pod.labels, preferences];
  const sums = memos.aggregate(`preferences ${JSON.stringify(key)}`, () => {
    const resolve = (term: WeightedAffinityTerm): WeightedAffinityTerm =>
      resolveNamespaces(term, (selector) => listers.namespacesMatching(selector));
    const [affinity, antiAffinity] = [pod.preferredAffinity.map(resolve), pod.preferredAntiAffinity.map(resolve)];
    return new PreferenceSums(pod, affinity, antiAffinity, listers.namespaceLabels(pod.namespace), args.hardPodAffinityWeight);
  });
  sums.update(snapshot);
  return sums.shareCount === 0 ? undefined : new TopologyScores(sums.scores);
}
