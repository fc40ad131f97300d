import type { CycleState } from '../../framework/cycle-state';
import type { PreScorePlugin, ScorePlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import { maxNodeScore } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { skip } from '../../framework/status';
import { ResourceScorer } from './resource-scorer';
import type { ResourceWeight } from './scoring-strategy';
import { defaultScoringStrategy } from './scoring-strategy';

export interface NodeResourcesBalancedAllocationArgs {
  resources?: ResourceWeight[];
}

/** Prefers nodes whose resources would be used in equal parts. Pods that ask for none of them are not scored. */
export class NodeResourcesBalancedAllocation implements PreScorePlugin, ScorePlugin {
  readonly name = 'NodeResourcesBalancedAllocation';
  readonly isNodeLocal = true;
  private readonly scorer: ResourceScorer;

  constructor(args: NodeResourcesBalancedAllocationArgs = {}) {
    this.scorer = new ResourceScorer({ resources: args.resources ?? defaultScoringStrategy.resources }, true, balance);
  }

  preScore(_state: CycleState, pod: PodInfo): Status | undefined {
    return this.scorer.requestsNothing(pod) ? skip : undefined;
  }

  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    return this.scorer.score(pod, node);
  }

  eventsToRegister(): readonly never[] {
    return [];
  }
}

/** 100 less the standard deviation of the fractions in use, in percent, truncated. */
function balance(requested: readonly number[], capacity: readonly number[]): number {
  let count = 0;
  let sum = 0;
  let first = 0;
  let second = 0;
  for (let i = 0; i < requested.length; i++) {
    if (capacity[i] === 0) continue;
    const fraction = Math.min(1, (requested[i] as number) / (capacity[i] as number));
    if (count === 0) first = fraction;
    else second = fraction;
    sum += fraction;
    count++;
  }
  let deviation = 0;
  if (count === 2) deviation = Math.abs((first - second) / 2);
  else if (count > 2) {
    const mean = sum / count;
    let squares = 0;
    for (let i = 0; i < requested.length; i++) {
      if (capacity[i] === 0) continue;
      const fraction = Math.min(1, (requested[i] as number) / (capacity[i] as number));
      squares += (fraction - mean) * (fraction - mean);
    }
    deviation = Math.sqrt(squares / count);
  }
  return Math.trunc((1 - deviation) * maxNodeScore);
}
