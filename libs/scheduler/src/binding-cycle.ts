// The binding cycle, read downwards (upstream schedule_one.go: bindingCycle, WaitOnPermit, bind, handleBindingCycleError). The functions
// down to `bindStep` look and decide; those behind it put into the state what came of that, and of the writes.
import type { ClusterState } from '#libs/cluster-state';
import type { DecisionContext, Step } from '#libs/control-loop';
import { fact } from '#libs/events';
import { goDuration, type KubeObject } from '#libs/kernel';
import {
  bindCall,
  bindError,
  eventAssignedPodDelete,
  permitTimedOut,
  podInfoOf,
  preemptedAtPermit,
  prepareBindingAgain,
  type PreparedBinding,
} from '#libs/scheduling';
import { answerTo, extenderAsked } from './extender-dialogue';
import { endFlight, takeOff } from './flights';
import { countFailure, handleSchedulingFailure, objectWrite, requeue } from './handle-scheduling-failure';
import { callsOf, framed, subjectOf, type Decided, type Ended } from './outcome';
import type { BindingWait, Failure, Flight, SchedulerState } from './scheduler-state';

/**
 * From the chosen node to the binding: held back by Permit plugins, or volumes and claims written and then bound, by an extender
 * where one binds such pods. (What is written for volumes is not waited for: simulated volumes are there at once.)
 * @param context names and time of the decision that does it
 */
export function bindingCycle(
  state: SchedulerState,
  pod: KubeObject,
  node: string,
  prepared: PreparedBinding | undefined,
  context: Pick<DecisionContext, 'decision' | 'now'>,
): Decided<Ended> {
  const subject = subjectOf(pod);
  const result = { kind: 'ended', result: { kind: 'bound', node } } as const;
  if (prepared && prepared.waitingFor.length > 0) return heldAtPermit(pod, node, prepared, context.now);
  const writes = (prepared?.writes ?? []).map(objectWrite);
  const call = bindCall(state.profiles.configuration.extenders, pod, node);
  if (!call) return { subject, steps: [...writes, bindStep(pod, node)], ...(writes.length > 0 ? { sequential: true } : {}), result };
  const ask = context.decision;
  const records = [extenderAsked(pod, call, ask, ask, node)];
  const waiting: BindingWait = { for: 'extender', node, ask, isBound: false };
  return { subject, records, steps: writes, ...callsOf(call, ask), result: { ...result, waiting } };
}

function heldAtPermit(pod: KubeObject, node: string, prepared: PreparedBinding, now: number): Decided<Ended> {
  const { namespace = '', name, uid } = pod.metadata;
  const waitMs = prepared.permitWaitMs ?? 0;
  const until = now + waitMs;
  const plugins = [...prepared.waitingFor];
  const waiting: BindingWait = { for: 'permit', node, until, waitMs, plugin: plugins[0] as string, isPreempted: false };
  const records = [fact('PodHeldAtPermit', { namespace, pod: name, uid, node, plugins, until })];
  return { subject: subjectOf(pod), records, steps: [], result: { kind: 'ended', result: { kind: 'bound', node }, waiting } };
}

/** The first pod, in the order they began to wait, whose wait may be over at `now`. */
export function nextWait({ waits }: SchedulerState, now: number): Flight | undefined {
  for (const flight of waits) {
    if (flight.isToBeLookedAt || (flight.waiting?.for === 'permit' && flight.waiting.until <= now)) return flight;
  }
  return undefined;
}

/** When the first Permit plugin's time is over. */
export function nextWaitTimeout({ waits }: SchedulerState): number | undefined {
  let first: number | undefined;
  for (const { waiting } of waits) if (waiting?.for === 'permit' && waiting.until < (first ?? Infinity)) first = waiting.until;
  return first;
}

/** The end of a wait as a decision. Undefined: it goes on, or its end needs none. */
export function waitOver(state: SchedulerState, cluster: ClusterState, flight: Flight, context: DecisionContext): Decided | undefined {
  const { uid, waiting } = flight;
  const pod = state.pending.get(uid);
  if (!pod || !waiting) return undefined;
  const end = waitEnd(waiting, context.now);
  const decision = waitDecision(state, cluster, pod, end, context);
  return decision && framed(state, decision, uid);
}

/** How the waiting ends. */
export type WaitEnd =
  | { wait: 'permit'; node: string }
  | { wait: 'preempted'; node: string }
  | { wait: 'timeout'; node: string; plugin: string; waitMs: number }
  | { wait: 'extender'; node: string; ask: string };

function waitEnd(waiting: BindingWait, now: number): WaitEnd {
  const { node } = waiting;
  if (waiting.for === 'extender') return { wait: 'extender', node, ask: waiting.ask };
  if (waiting.isPreempted) return { wait: 'preempted', node };
  if (now >= waiting.until) return { wait: 'timeout', node, plugin: waiting.plugin, waitMs: waiting.waitMs };
  return { wait: 'permit', node };
}

/** From the state (the pod assumed) and what is recorded. */
export function waitDecision(
  state: SchedulerState,
  cluster: ClusterState,
  pod: KubeObject,
  end: WaitEnd,
  context: DecisionContext,
): Decided<Ended> | undefined {
  const { node } = end;
  const failed = (failure: Failure): Decided<Ended> => handleSchedulingFailure(state, cluster, pod, failure, context.decision);
  switch (end.wait) {
    case 'preempted':
      return failed(preemptedAtPermit(node, 'DefaultPreemption'));
    case 'timeout':
      return failed(permitTimedOut(node, end.plugin, goDuration(end.waitMs)));
    case 'permit': {
      const prepared = waitOnPermit(state, pod, node, context.now);
      if (!prepared) return undefined;
      return prepared.kind === 'prepared' ? bindingCycle(state, pod, node, prepared, context) : failed(prepared);
    }
    case 'extender': {
      const failure = extendersBinding(state, cluster, pod, end.ask);
      if (failure !== 'ignored') return failure && failed(failure);
      return { subject: subjectOf(pod), steps: [bindStep(pod, node)], result: { kind: 'ended', result: { kind: 'bound', node } } };
    }
  }
}

/** Asks the Permit plugins again. Undefined: some still hold the pod back. */
function waitOnPermit(state: SchedulerState, pod: KubeObject, node: string, now: number): PreparedBinding | Failure | undefined {
  const profile = state.profiles.get(podInfoOf(pod).spec.schedulerName || 'default-scheduler');
  if (!profile) return undefined;
  const cycle = { snapshot: state.cache.snapshot(), nominated: state.queue.nominator, now, chance: () => 0 };
  const prepared = prepareBindingAgain(pod, node, cycle, profile);
  return prepared.kind === 'prepared' && prepared.waitingFor.length > 0 ? undefined : prepared;
}

/** What came of the question to the extender that binds. Undefined: it has not answered, or it has bound the pod. */
function extendersBinding(state: SchedulerState, cluster: ClusterState, pod: KubeObject, ask: string): Failure | 'ignored' | undefined {
  const answered = answerTo(cluster, pod.metadata.uid, ask);
  const message = answered && bindError(answered.answer);
  if (message === undefined) return undefined;
  if (state.profiles.configuration.extenders[answered?.extender as number]?.ignorable) return 'ignored';
  return { kind: 'error', message, reason: 'SchedulerError', nextStartNodeIndex: state.nextStartNodeIndex };
}

function bindStep(pod: KubeObject, node: string): Step {
  const { namespace = '', name, uid } = pod.metadata;
  const refusal = fact('BindingRefused', { namespace, pod: name, uid, node });
  return { step: 'bind', request: { verb: 'bind', target: { resource: 'pods', namespace, name }, node, uid }, refusal };
}

/** What came of a wait's turn: it is over and a new flight carries the pod on, or the pod goes on waiting. */
export function waitDecided(state: SchedulerState, flight: Flight, decision: Decided | undefined, context: DecisionContext): void {
  const { uid, waiting, queued } = flight;
  flight.isToBeLookedAt = false;
  if (decision?.result.kind !== 'ended' || !waiting) {
    if (waiting?.for === 'extender') restUntilBound(state, flight);
    return;
  }
  const { result, waiting: next } = decision.result;
  endFlight(state, flight);
  if (result.kind !== 'bound') {
    const pod = state.pending.get(uid) as KubeObject;
    handleBindingCycleError(state, pod, waiting.node, context.now);
    countFailure(state, pod, result);
  }
  takeOff(state, { ordinal: context.ordinal, uid, queued, result, isOver: false, waiting: next, isToBeLookedAt: false });
}

/** The extender says it has bound the pod: it counts on its node until the log shows the binding, however long that takes. */
function restUntilBound(state: SchedulerState, { waiting, uid }: Flight): void {
  if (waiting?.for !== 'extender' || waiting.isBound) return;
  waiting.isBound = true;
  state.queue.done(uid);
}

/** The log has the binding, or has refused it: then the pod waits again. */
export function bindingSettled(state: SchedulerState, flight: Flight, isRefused: boolean, now: number): void {
  const { uid, queued, result } = flight;
  // A pod that waits for a Permit plugin or an extender stays assumed: its decision is in the log, but its attempt is not over.
  if (result.kind !== 'bound' || (flight.waiting && !isRefused)) return;
  endFlight(state, flight);
  if (!isRefused) {
    state.queue.done(uid);
    return;
  }
  handleBindingCycleError(state, queued.info.pod, result.node, now);
  const { nextStartNodeIndex } = state;
  requeue(state, flight, { kind: 'error', message: 'binding was refused', reason: 'SchedulerError', nextStartNodeIndex }, now);
}

/** The pod does not count on the node any more, if it still did; to those that wait for room it is as if it had been deleted there. */
export function handleBindingCycleError({ cache, queue }: SchedulerState, pod: KubeObject, node: string, now: number): void {
  const { uid } = pod.metadata;
  if (!cache.isAssumed(uid)) return;
  cache.forgetPod(uid);
  const assumed = { ...pod, spec: { ...pod.spec, nodeName: node } };
  queue.movePodsOnEvent(eventAssignedPodDelete, assumed, undefined, now, (waiting) => waiting.uid !== uid);
}
