import type { ClusterState } from '#libs/cluster-state';
import type { AssumedDecision, Decision, DecisionContext } from '#libs/control-loop';
import type { Basis } from '#libs/events';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { AttemptResult } from '#libs/scheduling';
import { withAssumed } from './assumed';
import { waitDecision, type WaitEnd } from './binding-cycle';
import type { AttemptInputs, SchedulerState } from './scheduler-state';
import { attemptDecision, schedulingCycle, skipped } from './scheduling-cycle';
import { finishPreemption, isUnfinishedPreemption, preemptorOf } from './unfinished-preemptions';

/** The decision made again from its basis: the state has folded all up to there. */
export function rederive(
  state: SchedulerState,
  cluster: ClusterState,
  basis: Basis,
  context: DecisionContext,
  assumed: readonly AssumedDecision[],
): Decision | undefined {
  if (isUnfinishedPreemption(basis.subject)) return finishPreemption(cluster, preemptorOf(basis.subject));
  const pod = cluster.byKey('pods', basis.subject);
  if (!pod) return undefined;
  const end = basis.inputs as WaitEnd | undefined;
  if (end?.wait !== undefined) {
    return withAssumed(state, cluster, assumed, () => waitDecision(state, cluster, pod, end, context));
  }
  if (pod.metadata.deletionTimestamp) return skipped(pod);
  const inputs = inputsOf(basis.inputs);
  return withAssumed(state, cluster, assumed, () => {
    const attempted = schedulingCycle(state, pod, { cluster, context, inputs });
    return attempted && attemptDecision(state, cluster, pod, attempted, context, inputs);
  });
}

/** The attempt made again with every node looked at: what `why` shows. The state has folded all up to the basis. */
export function explainAttempt(
  state: SchedulerState,
  cluster: ClusterState,
  basis: Basis,
  context: DecisionContext,
  assumed: readonly AssumedDecision[],
): { pod: KubeObject; result: AttemptResult } | undefined {
  const pod = cluster.byKey('pods', basis.subject);
  if (!pod || (basis.inputs as WaitEnd | undefined)?.wait !== undefined) return undefined;
  return withAssumed(state, cluster, assumed, () => {
    const whole = { ...context, evaluateAll: true };
    const attempted = schedulingCycle(state, pod, { cluster, context: whole, inputs: inputsOf(basis.inputs) });
    return attempted?.kind === 'ended' ? { pod, result: attempted.result } : undefined;
  });
}

/** As the basis of a decision has them. */
function inputsOf(inputs: JsonObject | undefined): AttemptInputs {
  return { start: 0, poppedFrom: 'active', ...(inputs as Partial<AttemptInputs> | undefined) };
}
