import type { Decision, StepOutcome } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { eventAssignedPodDelete, type AttemptResult } from '#libs/scheduling';
import { endFlight } from './next-attempt';
import type { Flight, SchedulerState } from './scheduler-state';
import { actUid, isActSubject } from './unfinished-acts';

/** All steps of a decision have been answered, and what they wrote has been folded. */
export function settleDecision(
  state: SchedulerState,
  decision: Decision,
  ordinal: number,
  outcomes: readonly StepOutcome[],
  now: number,
): void {
  if (isActSubject(decision.subject)) {
    const uid = actUid(decision.subject);
    state.queue.setPreempting(uid, false);
    state.queue.activate(uid, now);
    return;
  }
  const flight = state.underWay.get(ordinal);
  if (flight) {
    const isRefused = outcomes.some(({ kind }) => kind === 'refused');
    // A pod that waits before its binding stays assumed: the decision is in the log, but not at its end.
    if (!flight.waiting || isRefused) land(state, flight, outcomes, now);
    return;
  }
  state.underWay.delete(ordinal);
  if (state.asking?.ordinal === ordinal && outcomes.some(({ kind }) => kind === 'refused')) abandonQuestion(state, now);
}

/** The log has the outcome (or refused it): the pod is bound, or waits again. */
function land(state: SchedulerState, flight: Flight, outcomes: readonly StepOutcome[], now: number): void {
  const { queue } = state;
  const { uid, queued, result } = flight;
  endFlight(state, flight);
  // Those whose deletion was written have been folded away; a victim that was not deleted counts again.
  if (result.kind === 'unschedulable')
    for (const victim of result.postFilter?.preemption?.chosen?.victims ?? []) state.cache.comeBack(victim.uid);
  const pod = state.pending.get(uid);
  if (result.kind === 'bound') {
    if (!outcomes.some(({ kind }) => kind === 'refused')) {
      queue.done(uid);
      return;
    }
    takeBack(state, queued.info.pod, result.node, now);
  }
  if (flight.isOver || !pod) {
    queue.done(uid);
    return;
  }
  queue.addUnschedulable(queued, result.kind === 'bound' ? failure(state, 'binding was refused') : result, now, pod);
}

/** The pod does not count on the node any more, if it still did; to those that wait for room it is as if it had been deleted there. */
export function takeBack({ cache, queue }: SchedulerState, pod: KubeObject, node: string, now: number): void {
  const { uid } = pod.metadata;
  if (!cache.isAssumed(uid)) return;
  cache.forgetPod(uid);
  const assumed = { ...pod, spec: { ...pod.spec, nodeName: node } };
  queue.movePodsOnEvent(eventAssignedPodDelete, assumed, undefined, now, (waiting) => waiting.uid !== uid);
}

/** The question could not be recorded, so it is not asked. */
function abandonQuestion(state: SchedulerState, now: number): void {
  const { queued } = state.asking as NonNullable<SchedulerState['asking']>;
  state.asking = undefined;
  const pod = state.pending.get(queued.info.uid);
  if (pod) state.queue.addUnschedulable(queued, failure(state, 'the question to an extender was not recorded'), now, pod);
  else state.queue.done(queued.info.uid);
}

function failure(state: SchedulerState, message: string): AttemptResult {
  return { kind: 'error', message, reason: 'SchedulerError', nextStartNodeIndex: state.nextStartNodeIndex };
}
