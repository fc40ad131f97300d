import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeMemo } from '../../framework/memo/memos';
import type { NodeInfo } from '../../framework/node-info';
import { maxNodeScore } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf } from '../../framework/selectors';
import type { SpreadConstraint } from './constraints';
import { countMatching, hasAllKeys } from './constraints';
import type { DomainCounts } from './domain-counts';
import { domainCountsOf } from './domain-counts';

const hostnameKey = 'kubernetes.io/hostname';

export class SpreadScores implements StateData {
  constructor(
    readonly constraints: readonly SpreadConstraint[],
    /** Candidate nodes that lack a topology key: they score 0. */
    readonly ignored: ReadonlySet<NodeInfo>,
    /** Matching pods by domain, over all nodes. Hostnames are counted node by node. */
    private readonly domains: DomainCounts | undefined,
    private readonly onNode: readonly NodeMemo<number>[],
    /** ln(domains + 2): the more domains, the more a pod in one weighs. */
    readonly weights: readonly number[],
  ) {}

  clone(): this {
    return this;
  }

  raw(pod: PodInfo, node: NodeInfo): number {
    if (this.ignored.has(node)) return 0;
    let score = 0;
    for (let i = 0; i < this.constraints.length; i++) {
      const constraint = this.constraints[i] as SpreadConstraint;
      const domain = labelOf(node.labels, constraint.topologyKey);
      if (domain === undefined) continue;
      const count = constraint.topologyKey === hostnameKey ? this.countOn(i, pod, node) : (this.domains?.count(i, domain) ?? 0);
      score += count * (this.weights[i] as number) + (constraint.maxSkew - 1);
    }
    return Math.round(score);
  }

  private countOn(i: number, pod: PodInfo, node: NodeInfo): number {
    const memo = this.onNode[i] as NodeMemo<number>;
    if (!memo.has(node.slot, node.generation)) {
      memo.set(node.slot, node.generation, countMatching(node, (this.constraints[i] as SpreadConstraint).selector, pod.namespace));
    }
    return memo.get(node.slot);
  }

  /** The fewer pods the better; all without any: 100. */
  normalize(nodes: readonly NodeInfo[], scores: number[]): void {
    let min = Infinity;
    let max = 0;
    for (let i = 0; i < scores.length; i++) {
      if (this.ignored.has(nodes[i] as NodeInfo)) continue;
      min = Math.min(min, scores[i] as number);
      max = Math.max(max, scores[i] as number);
    }
    for (let i = 0; i < scores.length; i++) {
      if (this.ignored.has(nodes[i] as NodeInfo)) scores[i] = 0;
      else if (max === 0) scores[i] = maxNodeScore;
      else scores[i] = Math.trunc((maxNodeScore * (max + min - (scores[i] as number))) / max);
    }
  }
}

export const spreadScoresKey = stateKey<SpreadScores>('PodTopologySpread/score');

/** `requiresAllKeys`: nodes lacking a key are left out; with the system's default constraints they are not. */
export function computeSpreadScores(
  state: CycleState,
  pod: PodInfo,
  candidates: readonly NodeInfo[],
  constraints: readonly SpreadConstraint[],
  requiresAllKeys: boolean,
): SpreadScores {
  const { snapshot } = state.cycle;
  const ofCandidates = constraints.map(() => new Set<string>());
  const ignored = new Set<NodeInfo>();
  for (const node of candidates) {
    if (requiresAllKeys && !hasAllKeys(node.labels, constraints)) {
      ignored.add(node);
      continue;
    }
    for (let i = 0; i < constraints.length; i++) {
      const { topologyKey } = constraints[i] as SpreadConstraint;
      if (topologyKey !== hostnameKey) ofCandidates[i]?.add(labelOf(node.labels, topologyKey) ?? '');
    }
  }
  const weights = constraints.map((constraint, i) => {
    const domainCount = constraint.topologyKey === hostnameKey ? candidates.length - ignored.size : (ofCandidates[i]?.size ?? 0);
    return Math.log(domainCount + 2);
  });
  const needsDomains = constraints.some((constraint) => constraint.topologyKey !== hostnameKey);
  const domains = needsDomains ? domainCountsOf(snapshot, pod, constraints, requiresAllKeys) : undefined;
  const onNode = constraints.map(({ selector }) =>
    snapshot.memos.nodeMemo<number>(`matching ${pod.namespace} ${JSON.stringify(selector)}`),
  );
  return new SpreadScores(constraints, ignored, domains, onNode, weights);
}
