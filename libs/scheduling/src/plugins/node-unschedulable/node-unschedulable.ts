import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { FilterPlugin } from '../../framework/interface';
import { nodeSpec, podSpec } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { unresolvable } from '../../framework/status';
import type { Taint, Toleration } from '../../framework/tolerations';
import { tolerated } from '../../framework/tolerations';

const name = 'NodeUnschedulable';
const unschedulableTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const refused = unresolvable(name, 'node(s) were unschedulable');

/** Keeps pods off cordoned nodes unless they tolerate the taint that cordoning stands for. */
export class NodeUnschedulable implements FilterPlugin {
  readonly name = name;
  readonly isNodeLocal = true;

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return !node.isUnschedulable || tolerated(pod.tolerations, unschedulableTaint) ? undefined : refused;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('Node', Action.Add | Action.UpdateNodeTaint, (_pod, old, updated): Hint => {
        const isSchedulable = updated !== undefined && nodeSpec(updated).unschedulable !== true;
        const wasSchedulable = old !== undefined && nodeSpec(old).unschedulable !== true;
        return isSchedulable && !wasSchedulable ? 'Queue' : 'QueueSkip';
      }),
      on('UnscheduledPod', Action.UpdatePodTolerations, (pod, _old, updated): Hint => {
        if (updated?.metadata.uid !== pod.uid) return 'QueueSkip';
        return tolerated((podSpec(updated).tolerations ?? []) as Toleration[], unschedulableTaint) ? 'Queue' : 'QueueSkip';
      }),
    ];
  }
}
