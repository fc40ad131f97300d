import type { ClusterState } from '#libs/cluster-state';
import type { Decision, DecisionContext } from '#libs/control-loop';
import { waitEnd, waitOutcome } from './binding-cycle';
import { afterWait } from './decision';
import { assume, endFlight, framed, takeOff, type Outbox } from './next-attempt';
import { takeBack } from './settling';
import type { Flight, SchedulerState } from './scheduler-state';

/** The next pod whose wait before the binding is over: allowed, refused, timed out, or answered for by its extender. */
export function nextWaitEnd(state: SchedulerState, cluster: ClusterState, context: DecisionContext, outbox: Outbox): Decision | undefined {
  if (state.bindings.size === 0) return undefined;
  if (!state.bindingsChanged && (nextWaitTimeout(state) ?? Infinity) > context.now) return undefined;
  for (const flight of state.bindings) {
    const decision = carryOn(state, cluster, context, outbox, flight);
    if (decision) return decision;
  }
  state.bindingsChanged = false;
  return undefined;
}

/** When the first Permit plugin's time is over. */
export function nextWaitTimeout(state: SchedulerState): number | undefined {
  let first: number | undefined;
  for (const { waiting } of state.bindings) if (waiting?.for === 'permit' && waiting.until < (first ?? Infinity)) first = waiting.until;
  return first;
}

function carryOn(
  state: SchedulerState,
  cluster: ClusterState,
  context: DecisionContext,
  outbox: Outbox,
  flight: Flight,
): Decision | undefined {
  const { uid, waiting } = flight;
  const pod = state.pending.get(uid);
  if (flight.isOver || !pod || !waiting) {
    state.queue.done(uid);
    endFlight(state, flight);
    return undefined;
  }
  const end = waitEnd(waiting, context.now);
  const outcome = waitOutcome(state, cluster, pod, end, context.now);
  if (!outcome) {
    if (waiting.for === 'extender' && isAnswered(cluster, uid, waiting.ask)) rest(state, flight);
    return undefined;
  }
  const next = afterWait(state, cluster, pod, waiting.node, outcome, context);
  const decision = framed(state, next.decision, uid, end);
  endFlight(state, flight);
  if (outcome.kind === 'failed') {
    takeBack(state, pod, waiting.node, context.now);
    assume(state, outcome.result, pod);
  }
  const result = outcome.kind === 'failed' ? outcome.result : flight.result;
  takeOff(state, { ...flight, ordinal: context.ordinal, key: decision.subject, result, waiting: next.waiting });
  if (next.call) outbox.set(context.decision, next.call);
  return decision;
}

function isAnswered(cluster: ClusterState, uid: string, ask: string): boolean {
  return cluster.decisions.dialogues.get(uid)?.questions.get(ask)?.answer !== undefined;
}

/** The extender says it has bound the pod: it counts on its node until the log shows the binding, however long that takes. */
function rest(state: SchedulerState, flight: Flight): void {
  if (flight.waiting?.for !== 'extender' || flight.waiting.isBound) return;
  flight.waiting.isBound = true;
  state.queue.done(flight.uid);
}
