import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint, Hint } from '../../framework/events';
import type { PreEnqueuePlugin } from '../../framework/interface';
import type { PodInfo } from '../../framework/pod-info';
import { podSpec } from '../../framework/kube-types';
import type { Status } from '../../framework/status';
import { unresolvable } from '../../framework/status';

/** Holds a pod back while `spec.schedulingGates` names a gate. */
export class SchedulingGates implements PreEnqueuePlugin {
  readonly name = 'SchedulingGates';

  preEnqueue(pod: PodInfo): Status | undefined {
    const gates = pod.spec.schedulingGates;
    if (gates === undefined || gates.length === 0) return undefined;
    return unresolvable(this.name, `waiting for scheduling gates: [${gates.map((gate) => gate.name).join(' ')}]`);
  }

  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [
      on('Pod', Action.UpdatePodSchedulingGatesEliminated, (pod, _old, updated): Hint => {
        if (updated === undefined || updated.metadata.uid !== pod.uid) return 'QueueSkip';
        return (podSpec(updated).schedulingGates ?? []).length === 0 ? 'Queue' : 'QueueSkip';
      }),
    ];
  }
}
