import type { CycleState } from '../../framework/cycle-state';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint } from '../../framework/events';
import type { FilterPlugin } from '../../framework/interface';
import type { NodeInfo } from '../../framework/node-info';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { unresolvable } from '../../framework/status';

const name = 'NodeName';
const refused = unresolvable(name, "node(s) didn't match the requested node name");

/** A pod that names its node goes nowhere else. */
export class NodeName implements FilterPlugin {
  readonly name = name;
  readonly isNodeLocal = true;

  filter(_state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined {
    const wanted = pod.spec.nodeName;
    return !wanted || wanted === node.name ? undefined : refused;
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [on('Node', Action.Add)];
  }
}
