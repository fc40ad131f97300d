import type { Decision } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import type { AttemptResult, ExtenderCall } from '#libs/scheduling';
import type { AttemptInputs, BindingWait, Ending, SchedulerState } from './scheduler-state';

/** What the state is told of a decision, beside what is written. */
export type Outcome =
  /** A pod that is going, or the rest of a preemption: nothing but what is written. */
  | { kind: 'written' }
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
  /** All that was found out on the way, for explanations (`context.evaluateAll`). */
  attempt?: AttemptResult;
}

/** A decision with what the state is to be told of it. */
export interface Decided<O extends Outcome = Outcome> extends Decision {
  result: O;
}

export function subjectOf(pod: KubeObject): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}

/** @param ask the name of the question: that of the decision */
export function callsOf(call: ExtenderCall, ask: string): Pick<Decision, 'calls'> {
  return { calls: [{ ask, request: call }] };
}

/** With the event that it follows from. */
export function framed(state: SchedulerState, decision: Decided, uid: string): Decided {
  return { ...decision, cause: state.causes.get(uid) };
}

/** The attempt in a decision that was made with every node looked at (`context.evaluateAll`); undefined: there is none in it. */
export function attemptOf({ result }: Decision): AttemptResult | undefined {
  return (result as Partial<Ended> | undefined)?.attempt;
}
