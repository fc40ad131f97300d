import type { SchedulerState } from './scheduler-state';

/** Where a pod may be, as the scheduler sees it, and upstream's word for it. */
export const podStates = {
  none: { upstream: '–', meaning: "not to be scheduled: gone, terminal, another scheduler's, or passed over since it is being deleted" },
  gated: { upstream: 'unschedulablePods, gated', meaning: 'a PreEnqueue plugin holds it back' },
  active: { upstream: 'activeQ', meaning: 'to be attempted' },
  backoff: { upstream: 'podBackoffQ, podErrorBackoffQ', meaning: 'failed a moment ago' },
  unschedulable: { upstream: 'unschedulablePods', meaning: 'waits for the cluster to change' },
  asking: { upstream: 'in flight', meaning: 'its attempt waits for an extender to answer' },
  failing: { upstream: 'in flight', meaning: 'its attempt has failed, which is being written' },
  held: { upstream: 'in flight, assumed, waitingPods', meaning: 'has a node, on which it counts; Permit plugins hold it back' },
  extended: { upstream: 'in flight, assumed', meaning: 'has a node, on which it counts; an extender has been asked to bind it' },
  binding: { upstream: 'in flight, assumed', meaning: 'has a node, on which it counts; the binding is being written' },
  assigned: { upstream: 'in the cache', meaning: 'the log has it on its node' },
} as const satisfies Readonly<Record<string, { upstream: string; meaning: string }>>;

export type PodState = keyof typeof podStates;

export type Moment = 'apply' | 'decided' | 'settled';

/** What brings a pod from one state to another, and the function that does it. */
export interface Transition {
  readonly from: readonly PodState[];
  readonly to: readonly PodState[];
  readonly when: string;
  /** When the state may change: an append is folded, a look has been taken note of, or the log has a decision. */
  readonly in: readonly Moment[];
  /** File of this folder (or of libs/scheduling), and function. */
  readonly by: readonly [file: string, name: string];
}

const queued = ['active', 'backoff', 'unschedulable', 'gated'] as const;
const inFlight = ['asking', 'failing', 'held', 'extended', 'binding'] as const;
const attempted = ['asking', 'failing', 'held', 'extended', 'binding'] as const;
const eventHandlers = 'event-handlers.ts';
const schedulingCycle = 'scheduling-cycle.ts';
const bindingCycle = 'binding-cycle.ts';
const failure = 'handle-scheduling-failure.ts';
const queue = 'queue/scheduling-queue.ts';

/** All that may happen to a pod, from its coming to its end. */
export const transitions: readonly Transition[] = [
  { from: ['none'], to: ['active'], when: 'a pod without a node comes, or changes', in: ['apply'], by: [eventHandlers, 'onPod'] },
  { from: ['none'], to: ['gated'], when: 'the same, and a PreEnqueue plugin holds it back', in: ['apply'], by: [eventHandlers, 'onPod'] },
  { from: ['none'], to: ['assigned'], when: 'a pod comes that has a node', in: ['apply'], by: [eventHandlers, 'onPod'] },

  { from: ['gated'], to: ['active'], when: 'its gates are gone', in: ['apply'], by: [queue, 'update'] },
  {
    from: ['gated', 'unschedulable'],
    to: ['active', 'backoff'],
    when: 'something has changed that a plugin which holds or refused it takes an interest in',
    in: ['apply'],
    by: [queue, 'movePodsOnEvent'],
  },
  {
    from: ['gated'],
    to: ['active'],
    when: 'the preemption that a run before left unfinished needs nothing more, or is settled',
    in: ['decided', 'settled'],
    by: ['unfinished-preemptions.ts', 'preemptionFinished'],
  },
  {
    from: ['gated', 'unschedulable'],
    to: ['active', 'backoff'],
    when: 'a pod that counted on its node will not be bound: to this one it is as if it had been deleted there',
    in: ['apply', 'decided', 'settled'],
    by: [bindingCycle, 'handleBindingCycleError'],
  },
  { from: ['backoff'], to: ['active'], when: 'its back-off is over', in: ['decided'], by: [queue, 'flush'] },
  { from: ['unschedulable'], to: ['active'], when: 'it has waited for five minutes', in: ['decided'], by: [queue, 'flush'] },
  {
    from: ['unschedulable'],
    to: ['gated'],
    when: 'any of these, and a PreEnqueue plugin holds it back',
    in: ['apply', 'decided', 'settled'],
    by: [queue, 'movePodsOnEvent'],
  },

  {
    from: ['active', 'backoff'],
    to: attempted,
    when: 'it is its turn: the first that is active or, where there is none, the first refused one in back-off',
    in: ['decided'],
    by: [schedulingCycle, 'podDecided'],
  },
  {
    from: ['active', 'backoff'],
    to: ['none'],
    when: 'it is its turn, and it is being deleted',
    in: ['decided'],
    by: [schedulingCycle, 'podDecided'],
  },
  {
    from: ['asking'],
    to: ['failing', 'held', 'extended', 'binding'],
    when: 'the extender has answered',
    in: ['decided'],
    by: [schedulingCycle, 'podDecided'],
  },
  {
    from: ['asking'],
    to: ['backoff'],
    when: 'the question could not be recorded',
    in: ['settled'],
    by: [schedulingCycle, 'abandonQuestion'],
  },

  { from: ['held'], to: ['binding', 'extended'], when: 'the Permit plugins let it go', in: ['decided'], by: [bindingCycle, 'waitDecided'] },
  {
    from: ['held'],
    to: ['failing'],
    when: 'a Permit plugin refuses it, its time is over, or it is chosen as a victim',
    in: ['decided'],
    by: [bindingCycle, 'waitDecided'],
  },
  { from: ['extended'], to: ['failing'], when: 'the extender could not bind it', in: ['decided'], by: [bindingCycle, 'waitDecided'] },
  {
    from: ['extended'],
    to: ['binding'],
    when: 'the same, and the extender may be ignored',
    in: ['decided'],
    by: [bindingCycle, 'waitDecided'],
  },
  {
    from: ['binding', 'held', 'extended'],
    to: ['backoff'],
    when: 'the log has refused the binding, or the record of the wait',
    in: ['settled'],
    by: [bindingCycle, 'bindingSettled'],
  },
  { from: ['failing'], to: ['unschedulable'], when: 'the failure is written', in: ['settled'], by: [failure, 'failureSettled'] },
  {
    from: ['failing'],
    to: ['backoff', 'active'],
    when: 'the same, and it was an error, or something has changed meanwhile that may help',
    in: ['settled'],
    by: [failure, 'failureSettled'],
  },
  {
    from: ['failing'],
    to: ['gated'],
    when: 'the same, and a PreEnqueue plugin holds it back',
    in: ['settled'],
    by: [failure, 'failureSettled'],
  },

  {
    from: [...queued, ...inFlight],
    to: ['assigned'],
    when: "the log has it on a node, by our binding, an extender's or a client's",
    in: ['apply'],
    by: [eventHandlers, 'onPod'],
  },
  { from: [...queued, ...inFlight, 'assigned'], to: ['none'], when: 'it is gone or terminal', in: ['apply'], by: [eventHandlers, 'onPod'] },
  {
    from: ['assigned'],
    to: ['none'],
    when: 'it is chosen as a victim that goes without a grace: its room counts at once',
    in: ['decided'],
    by: [failure, 'countFailure'],
  },
  {
    from: ['none'],
    to: ['assigned'],
    when: 'its deletion as a victim has failed: it counts again',
    in: ['settled'],
    by: [failure, 'failureSettled'],
  },
];

/** The nomination to a node, which a pod may have in any state before it is bound. */
export const nominations: readonly Pick<Transition, 'when' | 'by'>[] = [
  { when: 'given by its preemption', by: [failure, 'countFailure'] },
  {
    when: 'taken away by a preemption of more importance on that node, by an error, or by a preemption that finds no candidate',
    by: [failure, 'countFailure'],
  },
  { when: 'used up: the pod is assumed on a node', by: [schedulingCycle, 'assume'] },
  { when: 'found in the status of a pod that comes, or changes', by: [queue, 'add'] },
];

/** @param uid the pod's */
export function podStateOf({ pending, flights, asking, queue: waiting, cache }: SchedulerState, uid: string): PodState {
  if (!pending.has(uid)) return cache.podOn(uid) === undefined ? 'none' : 'assigned';
  const flight = flights.get(uid);
  if (flight) {
    if (flight.waiting) return flight.waiting.for === 'permit' ? 'held' : 'extended';
    return flight.result.kind === 'bound' ? 'binding' : 'failing';
  }
  if (asking?.queued.info.uid === uid) return 'asking';
  const where = waiting.where(uid);
  return where === undefined || where === 'in-flight' ? 'none' : where;
}
