import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint } from '../../framework/events';
import type { FilterPlugin, PreFilterPlugin, PreScorePlugin, ScorePlugin } from '../../framework/interface';
import type { Listers } from '../../framework/listers';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import { labelOf } from '../../framework/selectors';
import type { Status } from '../../framework/status';
import { skip, unresolvable, unschedulable } from '../../framework/status';
import type { DefaultConstraint, SpreadConstraint, WhenUnsatisfiable } from './constraints';
import { constraintsOf, systemDefaultConstraints } from './constraints';
import { computeSpreadState, spreadKey } from './filtering';
import { afterNodeChange, afterPodChange } from './hints';
import { computeSpreadScores, spreadScoresKey } from './scoring';

const name = 'PodTopologySpread';
const notMatched = unschedulable(name, "node(s) didn't match pod topology spread constraints");
const missingLabel = unresolvable(name, "node(s) didn't match pod topology spread constraints (missing required label)");

export interface PodTopologySpreadArgs {
  defaultConstraints?: DefaultConstraint[];
  defaultingType?: 'System' | 'List';
}

/** Keeps pods of a kind spread evenly over domains, as a must (DoNotSchedule) or as a wish (ScheduleAnyway). */
export class PodTopologySpread implements PreFilterPlugin, FilterPlugin, PreScorePlugin, ScorePlugin {
  readonly name = name;
  private readonly defaults: readonly DefaultConstraint[];
  private readonly isSystemDefaulted: boolean;

  constructor(args: PodTopologySpreadArgs = {}) {
    this.isSystemDefaulted = args.defaultingType !== 'List';
    this.defaults = this.isSystemDefaulted ? systemDefaultConstraints : (args.defaultConstraints ?? []);
  }

  preFilter(state: CycleState, pod: PodInfo): Status | undefined {
    const constraints = this.constraints(pod, 'DoNotSchedule', state.cycle.snapshot.listers);
    if (constraints.length === 0) return skip;
    state.write(spreadKey, computeSpreadState(state, pod, constraints));
    return undefined;
  }

  addPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): undefined {
    state.read(spreadKey)?.update(pod, added, node, 1);
  }

  removePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): undefined {
    state.read(spreadKey)?.update(pod, removed, node, -1);
  }

  /** With the pod, the node's domain may hold at most maxSkew matching pods more than the emptiest domain. */
  filter(state: CycleState, _pod: PodInfo, node: NodeInfo): Status | undefined {
    const data = state.read(spreadKey);
    if (data === undefined) return undefined;
    for (let i = 0; i < data.constraints.length; i++) {
      const constraint = data.constraints[i] as SpreadConstraint;
      const domain = labelOf(node.labels, constraint.topologyKey);
      if (domain === undefined) return missingLabel;
      if (data.count(i, domain) + (data.selfMatches[i] as number) - data.minimum(i) > constraint.maxSkew) return notMatched;
    }
    return undefined;
  }

  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined {
    const constraints = this.constraints(pod, 'ScheduleAnyway', state.cycle.snapshot.listers);
    if (constraints.length === 0) return skip;
    const requiresAllKeys = (pod.spec.topologySpreadConstraints ?? []).length > 0 || !this.isSystemDefaulted;
    state.write(spreadScoresKey, computeSpreadScores(state, pod, nodes, constraints, requiresAllKeys));
    return undefined;
  }

  score(state: CycleState, pod: PodInfo, node: NodeInfo): number {
    return state.read(spreadScoresKey)?.raw(pod, node) ?? 0;
  }

  normalizeScores(state: CycleState, _pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): void {
    state.read(spreadScoresKey)?.normalize(nodes, scores);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    const required = (pod: PodInfo, listers: Listers): readonly SpreadConstraint[] => this.constraints(pod, 'DoNotSchedule', listers);
    return [
      on('Pod', Action.Add | Action.UpdatePodLabel | Action.UpdatePodTolerations | Action.Delete, (pod, old, updated, listers) =>
        afterPodChange(pod, old, updated, required(pod, listers)),
      ),
      on('Node', Action.Add | Action.Delete | Action.UpdateNodeLabel | Action.UpdateNodeTaint, (pod, old, updated, listers) =>
        afterNodeChange(old, updated, required(pod, listers)),
      ),
    ];
  }

  private constraints(pod: PodInfo, action: WhenUnsatisfiable, listers: Listers): readonly SpreadConstraint[] {
    return constraintsOf(pod, action, this.defaults, listers);
  }
}
