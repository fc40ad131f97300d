import type { KubeObject } from '#libs/kernel';
import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin, ScorePlugin } from '../../framework/interface';
import { nodeSpec } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import { defaultNormalizeScores } from '../../framework/normalize';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { unresolvable } from '../../framework/status';
import type { Toleration } from '../../framework/tolerations';
import { toleratesTaint, untoleratedTaint } from '../../framework/tolerations';

const name = 'TaintToleration';
const refused = unresolvable(name, 'node(s) had untolerated taint(s)');

/** Filters by NoSchedule and NoExecute taints; scores against untolerated PreferNoSchedule ones. */
export class TaintToleration implements FilterPlugin, ScorePlugin {
  readonly name = name;
  readonly isNodeLocal = true;

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    if (node.taints.length === 0) return undefined;
    return untoleratedTaint(node.taints, pod.tolerations) === undefined ? undefined : refused;
  }

  /** How many PreferNoSchedule taints the pod does not tolerate. */
  score(_state: CycleState, pod: PodInfo, node: NodeInfo): number {
    let count = 0;
    for (const taint of node.taints) {
      if (taint.effect !== 'PreferNoSchedule') continue;
      if (!pod.tolerations.some((toleration) => mindsPreference(toleration) && toleratesTaint(toleration, taint))) count++;
    }
    return count;
  }

  normalizeScores(_state: CycleState, _pod: PodInfo, _nodes: readonly NodeInfo[], scores: number[]): void {
    defaultNormalizeScores(scores, true);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('Node', Action.Add | Action.UpdateNodeTaint, afterNodeChange),
      on('UnscheduledPod', Action.UpdatePodTolerations, (pod, _old, updated): Hint =>
        updated?.metadata.uid === pod.uid ? 'Queue' : 'QueueSkip',
      ),
    ];
  }
}

function mindsPreference(toleration: Toleration): boolean {
  return !toleration.effect || toleration.effect === 'PreferNoSchedule';
}

function refuses(node: KubeObject, pod: PodInfo): boolean {
  return untoleratedTaint(nodeSpec(node).taints ?? [], pod.tolerations) !== undefined;
}

/** The node tolerates the pod now and did not before, or is new. */
function afterNodeChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
  const refusedBefore = old === undefined || refuses(old, pod);
  return refusedBefore && updated !== undefined && !refuses(updated, pod) ? 'Queue' : 'QueueSkip';
}
