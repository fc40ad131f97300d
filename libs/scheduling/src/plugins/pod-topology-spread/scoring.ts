import type { CycleState, StateData } from '../../framework/cycle-state';
import { stateKey } from '../../framework/cycle-state';
import type { NodeInfo } from '../../framework/node-info';
import { maxNodeScore } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf } from '../../framework/selectors';
import type { SpreadConstraint } from './constraints';
import { countMatching, hasAllKeys, isIncluded } from './constraints';

const hostnameKey = 'kubernetes.io/hostname';

export class SpreadScores implements StateData {
  constructor(
    readonly constraints: readonly SpreadConstraint[],
    /** Candidate nodes that lack a topology key: they score 0. */
    readonly ignored: ReadonlySet<NodeInfo>,
    /** Matching pods by domain; the domains are those of the candidates. Hostnames are counted node by node. */
    readonly counts: readonly ReadonlyMap<string, number>[],
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
      const count =
        constraint.topologyKey === hostnameKey
          ? countMatching(node, constraint.selector, pod.namespace)
          : ((this.counts[i] as ReadonlyMap<string, number>).get(domain) ?? 0);
      score += count * (this.weights[i] as number) + (constraint.maxSkew - 1);
    }
    return Math.round(score);
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
  const counts = constraints.map(() => new Map<string, number>());
  const ignored = new Set<NodeInfo>();
  for (const node of candidates) {
    if (requiresAllKeys && !hasAllKeys(node.labels, constraints)) {
      ignored.add(node);
      continue;
    }
    for (const [i, constraint] of constraints.entries()) {
      if (constraint.topologyKey !== hostnameKey) counts[i]?.set(labelOf(node.labels, constraint.topologyKey) ?? '', 0);
    }
  }
  const weights = constraints.map((constraint, i) => {
    const domainCount = constraint.topologyKey === hostnameKey ? candidates.length - ignored.size : (counts[i]?.size ?? 0);
    return Math.log(domainCount + 2);
  });
  countDomains(state.cycle.snapshot.nodes, pod, constraints, counts, requiresAllKeys);
  return new SpreadScores(constraints, ignored, counts, weights);
}

/** Pods of all nodes count, of those in the candidates' domains and within the inclusion policies. */
function countDomains(
  nodes: readonly NodeInfo[],
  pod: PodInfo,
  constraints: readonly SpreadConstraint[],
  counts: readonly Map<string, number>[],
  requiresAllKeys: boolean,
): void {
  if (constraints.every((constraint) => constraint.topologyKey === hostnameKey)) return;
  for (const node of nodes) {
    if (requiresAllKeys && !hasAllKeys(node.labels, constraints)) continue;
    for (let i = 0; i < constraints.length; i++) {
      const constraint = constraints[i] as SpreadConstraint;
      const ofConstraint = counts[i] as Map<string, number>;
      const domain = labelOf(node.labels, constraint.topologyKey) ?? '';
      const known = ofConstraint.get(domain);
      if (known === undefined || !isIncluded(constraint, pod, node)) continue;
      ofConstraint.set(domain, known + countMatching(node, constraint.selector, pod.namespace));
    }
  }
}
