import type { CycleState } from '../../framework/cycle-state';
import type { Diagnosis } from '../../framework/diagnosis';
import { Action, on } from '../../framework/events';
import type { ClusterEventWithHint } from '../../framework/events';
import type { FilterRunner, PostFilterPlugin, PostFilterResult, PreEnqueueContext, PreEnqueuePlugin } from '../../framework/interface';
import type { PodInfo } from '../../framework/pod-info';
import type { Status } from '../../framework/status';
import { unresolvable } from '../../framework/status';
import type { PreemptionArgs } from '../../preemption/evaluator';
import { PreemptionEvaluator } from '../../preemption/evaluator';

const name = 'DefaultPreemption';
const beingCarriedOut = unresolvable(name, 'waiting for the preemption for this pod to be finished');

export const defaultPreemptionArgs: PreemptionArgs = { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 };

/** Makes room by evicting pods of lower priority from one node. While that is being done the pod is held back. */
export class DefaultPreemption implements PostFilterPlugin, PreEnqueuePlugin {
  readonly name = name;
  private readonly evaluator: PreemptionEvaluator;

  constructor(args: Partial<PreemptionArgs> = {}) {
    this.evaluator = new PreemptionEvaluator(name, { ...defaultPreemptionArgs, ...args });
  }

  preEnqueue(pod: PodInfo, context: PreEnqueueContext): Status | undefined {
    return context.isPreempting(pod.uid) ? beingCarriedOut : undefined;
  }

  postFilter(state: CycleState, pod: PodInfo, diagnosis: Diagnosis, framework: FilterRunner): PostFilterResult {
    return this.evaluator.preempt(state, pod, diagnosis, framework);
  }

  /** Registered so that pods held back by it are looked at when a victim goes; it never requeues a pod by itself. */
  eventsToRegister(): readonly ClusterEventWithHint[] {
    return [on('AssignedPod', Action.Delete, () => 'QueueSkip')];
  }
}
