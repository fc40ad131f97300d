import type { AffinityTerm, WeightedAffinityTerm } from '../../framework/affinity-terms';
import { allTermsMatch, termMatches } from '../../framework/affinity-terms';
import { NodeAggregate } from '../../framework/memo/node-aggregate';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels } from '../../framework/selectors';
import { labelOf } from '../../framework/selectors';
import { TopologyCounts } from './topology-counts';

/** What one node adds at one pair of topology key and value. */
interface Share {
  readonly into: TopologyCounts;
  readonly key: string;
  readonly value: string;
  readonly amount: number;
}

abstract class TopologySum extends NodeAggregate<readonly Share[]> {
  /** How many shares there are, even if they come to nothing. */
  shareCount = 0;

  protected override apply(shares: readonly Share[], sign: 1 | -1): void {
    this.shareCount += sign * shares.length;
    for (const { into, key, value, amount } of shares) into.addAt(key, value, sign * amount);
  }
}

function share(shares: Share[], into: TopologyCounts, node: NodeInfo, key: string, amount: number): void {
  const value = labelOf(node.labels, key);
  if (value !== undefined) shares.push({ into, key, value, amount });
}

/** Pods that match a pod's own required terms. */
export class OwnTermCounts extends TopologySum {
  readonly affinity = new TopologyCounts();
  readonly antiAffinity = new TopologyCounts();

  constructor(
    private readonly affinityTerms: readonly AffinityTerm[],
    private readonly antiAffinityTerms: readonly AffinityTerm[],
  ) {
    super();
  }

  protected override contributionOf(node: NodeInfo): readonly Share[] | undefined {
    if (node.pods.length === 0) return undefined;
    const shares: Share[] = [];
    const matching = this.affinityTerms.length === 0 ? 0 : node.pods.filter((pod) => allTermsMatch(this.affinityTerms, pod)).length;
    if (matching > 0) for (const term of this.affinityTerms) share(shares, this.affinity, node, term.topologyKey, matching);
    for (const term of this.antiAffinityTerms) {
      const refused = node.pods.filter((pod) => termMatches(term, pod, undefined)).length;
      if (refused > 0) share(shares, this.antiAffinity, node, term.topologyKey, refused);
    }
    return shares.length === 0 ? undefined : shares;
  }
}

/** Pods whose required anti-affinity refuses a pod of this kind. */
export class ExistingAntiAffinity extends TopologySum {
  readonly counts = new TopologyCounts();

  constructor(
    private readonly pod: PodInfo,
    private readonly namespaceLabels: Labels,
  ) {
    super();
  }

  protected override contributionOf(node: NodeInfo): readonly Share[] | undefined {
    if (node.podsWithRequiredAntiAffinity.length === 0) return undefined;
    const shares: Share[] = [];
    for (const other of node.podsWithRequiredAntiAffinity) {
      for (const term of other.requiredAntiAffinity) {
        if (termMatches(term, this.pod, this.namespaceLabels)) share(shares, this.counts, node, term.topologyKey, 1);
      }
    }
    return shares.length === 0 ? undefined : shares;
  }
}

/** What preferences, of a pod of this kind and of the pods that are there, say about each topology value. */
export class PreferenceSums extends TopologySum {
  readonly scores = new TopologyCounts();

  constructor(
    private readonly pod: PodInfo,
    private readonly affinity: readonly WeightedAffinityTerm[],
    private readonly antiAffinity: readonly WeightedAffinityTerm[],
    private readonly namespaceLabels: Labels,
    private readonly hardWeight: number,
  ) {
    super();
  }

  protected override contributionOf(node: NodeInfo): readonly Share[] | undefined {
    const hasPreferences = this.affinity.length + this.antiAffinity.length > 0;
    // Without preferences of its own only pods with affinity can have something to say.
    const others = hasPreferences ? node.pods : node.podsWithAffinity;
    if (others.length === 0) return undefined;
    const shares: Share[] = [];
    for (const other of others) this.take(shares, other, node);
    return shares.length === 0 ? undefined : shares;
  }

  private take(shares: Share[], other: PodInfo, node: NodeInfo): void {
    for (const term of this.affinity) if (termMatches(term, other, undefined)) this.give(shares, node, term, term.weight);
    for (const term of this.antiAffinity) if (termMatches(term, other, undefined)) this.give(shares, node, term, -term.weight);
    if (!other.hasAffinity) return;
    if (this.hardWeight > 0) for (const term of other.requiredAffinity) this.giveIfWanted(shares, node, term, this.hardWeight);
    for (const term of other.preferredAffinity) this.giveIfWanted(shares, node, term, term.weight);
    for (const term of other.preferredAntiAffinity) this.giveIfWanted(shares, node, term, -term.weight);
  }

  private giveIfWanted(shares: Share[], node: NodeInfo, term: AffinityTerm, amount: number): void {
    if (termMatches(term, this.pod, this.namespaceLabels)) this.give(shares, node, term, amount);
  }

  private give(shares: Share[], node: NodeInfo, term: AffinityTerm, amount: number): void {
    share(shares, this.scores, node, term.topologyKey, amount);
  }
}
