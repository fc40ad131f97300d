import type { Decision } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import type { ExtenderCall } from '#libs/scheduling';
import type { AttemptInputs, BindingWait, Ending, SchedulerState } from './scheduler-state';

/** What a look at a pod comes to: the decision that is written, and what the state is told of it. */
export interface Look<O extends Outcome = Outcome> {
  decision: Decision;
  /** The question that is sent once the decision is recorded. */
  call?: ExtenderCall;
  outcome: O;
}

export type Outcome =
  | { kind: 'skipped' }
  /** An extender has to answer before the attempt can go on. */
  | { kind: 'asks'; inputs: AttemptInputs }
  | Ended;

/** The attempt is over, or the wait before the binding. */
export interface Ended {
  kind: 'ended';
  result: Ending;
  /** Before the pod is bound (again). */
  waiting?: BindingWait;
  nextStartNodeIndex?: number;
}

export function subjectOf(pod: KubeObject): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

/** With its cause, its inputs, and which decisions before it are not in the log yet. */
export function framed(state: SchedulerState, decision: Decision, uid: string, inputs: object): Decision {
  const [lowest] = state.underWay.keys();
  return {
    ...decision,
    cause: state.causes.get(uid),
    ...(lowest === undefined ? {} : { assumedFrom: lowest }),
    inputs: { ...inputs } as JsonObject,
  };
}
