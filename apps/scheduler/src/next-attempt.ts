import type { ClusterState } from '#libs/cluster-state';
import type { Decision, DecisionContext } from '#libs/control-loop';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { podGracePeriod } from '#libs/kube-api';
import { podInfoOf, type AttemptResult, type ExtenderCall, type QueuedPodInfo } from '#libs/scheduling';
import { attempt, inputsOf, type Attempted } from './attempt';
import { outcomeDecision, skipped } from './decision';
import type { AttemptInputs, Flight, SchedulerState } from './scheduler-state';

export type Outbox = Map<string, ExtenderCall>;

/** The next pod that can be decided on: the one whose extender has answered, then those of the queue. */
export function nextAttempt(state: SchedulerState, cluster: ClusterState, context: DecisionContext, outbox: Outbox): Decision | undefined {
  const { queue, asking } = state;
  if (asking) {
    if (!asking.isAnswered) return undefined;
    state.asking = undefined;
    const decision = tryPod(state, cluster, context, outbox, asking.queued, asking.inputs);
    if (decision) return decision;
  }
  for (let popped = queue.pop(context.now); popped; popped = queue.pop(context.now)) {
    const inputs = inputsOf({ start: state.nextStartNodeIndex, poppedFrom: popped.poppedFrom });
    const decision = tryPod(state, cluster, context, outbox, popped.pod, inputs);
    if (decision) return decision;
  }
  return undefined;
}

function tryPod(
  state: SchedulerState,
  cluster: ClusterState,
  context: DecisionContext,
  outbox: Outbox,
  queued: QueuedPodInfo,
  inputs: AttemptInputs,
): Decision | undefined {
  const { queue, cache } = state;
  const { uid, pod } = queued.info;
  if (!state.pending.has(uid) || cache.isAssumed(uid)) {
    queue.done(uid);
    return undefined;
  }
  if (pod.metadata.deletionTimestamp) {
    queue.done(uid);
    return skipped(pod);
  }
  const attempted = attempt(state, pod, { cluster, context, inputs });
  if (!attempted) {
    queue.done(uid);
    return undefined;
  }
  const outcome = outcomeDecision(state, cluster, pod, attempted, context, inputs);
  const decision = framed(state, outcome.decision, uid, { ...inputs });
  if (attempted.kind === 'ask') {
    ask(state, attempted, queued, inputs, context);
    state.underWay.set(context.ordinal, undefined);
  } else {
    const { result } = attempted;
    state.nextStartNodeIndex = result.nextStartNodeIndex;
    assume(state, result, pod);
    takeOff(state, { ordinal: context.ordinal, uid, key: decision.subject, queued, result, isOver: false, waiting: outcome.waiting });
  }
  if (outcome.call) outbox.set(context.decision, outcome.call);
  return decision;
}

function ask(
  state: SchedulerState,
  { draws }: Attempted & { kind: 'ask' },
  queued: QueuedPodInfo,
  inputs: AttemptInputs,
  context: DecisionContext,
): void {
  const begun = inputs.attempt ?? context.decision;
  state.asking = {
    queued,
    ask: context.decision,
    ordinal: context.ordinal,
    inputs: { ...inputs, attempt: begun, draws },
    isAnswered: false,
  };
}

/** With its cause, its inputs, and which decisions before it are not in the log yet. */
export function framed(state: SchedulerState, decision: Decision, uid: string, inputs: object): Decision {
  const [lowest] = state.underWay.keys();
  return {
    ...decision,
    cause: state.causes.get(uid),
    ...(lowest === undefined ? {} : { assumedFrom: lowest }),
    inputs: inputs as JsonObject,
  };
}

/** What was decided counts at once, before the log shows it. */
export function assume(state: SchedulerState, result: AttemptResult, pod: KubeObject): void {
  const { cache, queue } = state;
  if (result.kind === 'bound') {
    cache.assumePod(pod, result.node);
    queue.nominator.delete(pod.metadata.uid);
    state.bindingsChanged = true;
    return;
  }
  const nomination = result.kind === 'error' ? '' : result.postFilter?.nominatedNodeName;
  if (nomination !== undefined) queue.nominator.add(podInfoOf(pod), nomination);
  if (result.kind !== 'unschedulable') return;
  const preemption = result.postFilter?.preemption;
  for (const loser of preemption?.nominationsToClear ?? []) queue.nominator.delete(loser.uid);
  for (const victim of preemption?.chosen?.victims ?? []) {
    if (state.held.has(victim.uid)) turnAway(state, victim.uid);
    else if (goesAtOnce(victim.pod)) cache.assumeGone(victim.uid);
  }
}

/**
 * Whether the pod's deletion takes it away without a grace. The room that a preemption makes so counts for the attempts after it, as
 * the preemptor's nomination does. If it came with the fold alone, every attempt until then would find nominated pods and their
 * victims on one node, take further victims or move to another node: how many pods are left would depend on how slow the log is.
 */
export function goesAtOnce(pod: KubeObject): boolean {
  const { deletionTimestamp, finalizers } = pod.metadata;
  return !deletionTimestamp && !finalizers?.length && podGracePeriod(pod, undefined) === 0;
}

function turnAway(state: SchedulerState, uid: string): void {
  const waiting = state.flights.get(uid)?.waiting;
  if (waiting?.for === 'permit') waiting.isPreempted = true;
  state.bindingsChanged = true;
}

export function takeOff(state: SchedulerState, flight: Flight): void {
  state.flights.set(flight.uid, flight);
  state.underWay.set(flight.ordinal, flight);
  if (!flight.waiting) return;
  state.bindings.add(flight);
  state.bindingsChanged = true;
  if (flight.waiting.for === 'permit') state.held.add(flight.uid);
}

/** The flight is over, or a later decision carries it on. */
export function endFlight(state: SchedulerState, flight: Flight): void {
  if (state.flights.get(flight.uid) === flight) state.flights.delete(flight.uid);
  state.underWay.delete(flight.ordinal);
  state.bindings.delete(flight);
  state.held.delete(flight.uid);
}
