import type { KubeObject } from '#libs/kernel';
import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint } from '../../framework/events';
import type { FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import { maxNodeScore } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { skip, unresolvable, unschedulable } from '../../framework/status';
import { affinityKey, computeAffinityState } from './filtering';
import { afterNodeChange, afterPodChange } from './hints';
import { computeScores, scoresKey } from './scoring';

const name = 'InterPodAffinity';
const affinityNotMet = unresolvable(name, "node(s) didn't match pod affinity rules");
const antiAffinityNotMet = unschedulable(name, "node(s) didn't match pod anti-affinity rules");
const existingAntiAffinityNotMet = unschedulable(name, "node(s) didn't satisfy existing pods anti-affinity rules");

export interface InterPodAffinityArgs {
  hardPodAffinityWeight?: number;
  ignorePreferredTermsOfExistingPods?: boolean;
}

/** Affinity and anti-affinity between pods, required and preferred; anti-affinity of pods that are there is symmetric. */
export class InterPodAffinity implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = name;

  constructor(private readonly args: InterPodAffinityArgs = {}) {}

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const data = computeAffinityState(state, pod);
    if (data === undefined) return skip;
    state.write(affinityKey, data);
    return undefined;
  }

  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): undefined {
    state.read(affinityKey)?.update(pod, added, node, 1);
  }

  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): undefined {
    state.read(affinityKey)?.update(pod, removed, node, -1);
  }

  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const data = state.read(affinityKey);
    if (data === undefined) return undefined;
    if (!data.satisfiesAffinity(pod, node)) return affinityNotMet;
    if (!data.satisfiesAntiAffinity(node)) return antiAffinityNotMet;
    return data.satisfiesExistingAntiAffinity(node) ? undefined : existingAntiAffinityNotMet;
  }

  preScore(state: CycleState, pod: PodInfo): Status | undefined {
    const { hardPodAffinityWeight = 1, ignorePreferredTermsOfExistingPods = false } = this.args;
    const scores = computeScores(state, pod, { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods });
    if (scores === undefined) return skip;
    state.write(scoresKey, scores);
    return undefined;
  }

  score(state: CycleState, _pod: PodInfo, node: NodeInfo): number {
    return state.read(scoresKey)?.of(node) ?? 0;
  }

  /** Spreads the scores, which may be negative, over 0 to 100; all equal: 0. */
  normalizeScores(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    const min = Math.min(...scores);
    const span = Math.max(...scores) - min;
    for (let i = 0; i < scores.length; i++) {
      scores[i] = span > 0 ? Math.trunc(maxNodeScore * (((scores[i] as number) - min) / span)) : 0;
    }
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('Pod', Action.Add | Action.UpdatePodLabel | Action.Delete, (pod, old, updated) => afterPodChange(pod, old, updated)),
      on('Node', Action.Add | Action.UpdateNodeLabel, (pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined) =>
        afterNodeChange(pod, old, updated),
      ),
    ];
  }
}
