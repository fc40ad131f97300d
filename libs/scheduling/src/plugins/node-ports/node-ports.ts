import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import { hostPortsOf, portsClash } from '../../framework/host-ports';
import type { FilterPlugin, PreFilterPlugin } from '../../framework/interface';
import { assignedNode, nominatedNode, podSpec } from '../../framework/kube-types';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { skip, unschedulable } from '../../framework/status';

const name = 'NodePorts';
const refused = unschedulable(name, "node(s) didn't have free ports for the requested pod ports");

/** The host ports a pod asks for must be free on the node. */
export class NodePorts implements PreFilterPlugin, FilterPlugin {
  readonly name = name;
  readonly isNodeLocal = true;

  preFilter(_state: CycleState, pod: PodInfo): Status | undefined {
    return pod.hostPorts.length === 0 ? skip : undefined;
  }

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    return portsClash(pod.hostPorts, node.usedPorts.values()) ? refused : undefined;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('AssignedPod', Action.Delete, (pod, deleted): Hint => {
        if (deleted === undefined || (assignedNode(deleted) === '' && nominatedNode(deleted) === '')) return 'QueueSkip';
        return portsClash(pod.hostPorts, hostPortsOf(podSpec(deleted))) ? 'Queue' : 'QueueSkip';
      }),
      on('Node', Action.Add),
    ];
  }
}
