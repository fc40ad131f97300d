import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { DecisionStream } from '#libs/events';
import type { GroupResource, JsonObject } from '#libs/kernel';
import { causeOf, isEmpty, type Cause, type Decision, type DecisionContext, type Controller, type StepOutcome } from './controller';
import { WorkQueue, type BackOff } from './work-queue';

/** What a look at one subject gives: steps to take, and when to look again though nothing has changed. */
export interface Reconciliation extends Omit<Decision, 'subject'> {
  wakeAt?: number;
  /** What the index is to remember of the look (see `Reconciler.looked`). */
  memory?: unknown;
}

/** A write that was refused, told to the next look at its subject. */
export interface StepFailure {
  step: string;
  message: string;
}

/**
 * A level-triggered controller: whatever happened, it compares one subject's wanted and actual state and says what to do.
 * `reconcile` is a function of the cluster, the index (itself a function of the log), the subject, the context, and the refusal that
 * ended the last decision on the subject; so every decision can be made again.
 */
export interface Reconciler<I = undefined> {
  readonly name: string;
  readonly behaviour: string;
  readonly stream: DecisionStream;
  readonly config: JsonObject;
  /** After writes that were refused; absent: the usual one. */
  readonly backOff?: BackOff;
  /** Look-ups of its own, of a cluster from nothing; they are kept as the log is folded. Absent: it has none. */
  index?(cluster: ClusterState, now: number): I;
  /** Resources whose changes alone `follow` has something to say to (see `Controller.follows`). Absent: it is told of every append. */
  readonly follows?: readonly GroupResource[];
  /** Takes an append into the index and names the subjects to look at for it. */
  follow(index: I, append: FoldedAppend, cluster: ClusterState): Iterable<string>;
  /** Every subject there is: looked at on start. */
  allSubjects(index: I, cluster: ClusterState): Iterable<string>;
  reconcile(cluster: ClusterState, index: I, subject: string, context: DecisionContext, failure?: StepFailure): Reconciliation | undefined;
  /** The subject was looked at, with this for its memory: the only other thing that may change the index. */
  looked?(index: I, subject: string, memory: unknown, now: number): void;
}

export interface ReconcilerState<I> {
  queue: WorkQueue;
  index: I;
  /** By subject: what the next look at it is to be told. */
  failures: Map<string, StepFailure>;
}

/** What a decision takes along to `decided`. */
interface Look {
  wakeAt?: number;
  memory?: unknown;
}

/** What a look at a subject gives, as a decision. When to look again goes along, also where there is nothing to do now. */
export function lookDecision(queue: WorkQueue, subject: string, found: Reconciliation | undefined): Decision | undefined {
  if (!found) return undefined;
  const { wakeAt, memory, ...decision } = found;
  const result: Look = { wakeAt, memory };
  return { cause: queue.causeOf(subject), ...decision, subject, result };
}

/** Takes note in the queue of what `lookDecision` gave. */
export function noteLook(queue: WorkQueue, subject: string, decision: Decision | undefined, now: number): void {
  const isUnderWay = decision !== undefined && !isEmpty(decision);
  queue.looked(subject, now, { wakeAt: (decision?.result as Look | undefined)?.wakeAt, isUnderWay });
}

/** The Controller that a Reconciler makes. */
export function reconcilerController<I>(reconciler: Reconciler<I>): Controller<ReconcilerState<I>> {
  const { name, behaviour, stream, config, follows } = reconciler;
  return {
    name,
    behaviour,
    stream,
    config,
    readsRefusals: true,
    follows,

    initial(cluster, now) {
      const state: ReconcilerState<I> = {
        queue: new WorkQueue(reconciler.backOff),
        index: reconciler.index?.(cluster, now) as I,
        failures: new Map(),
      };
      for (const subject of reconciler.allSubjects(state.index, cluster)) state.queue.add(subject);
      return state;
    },

    apply({ queue, index }, append, cluster) {
      let cause: Cause | undefined;
      for (const subject of reconciler.follow(index, append, cluster)) queue.add(subject, (cause ??= causeOf(append)));
    },

    next: ({ queue }, _cluster, now) => queue.next(now),

    decide({ queue, index, failures }, cluster, subject, context) {
      const failure = failures.get(subject);
      return lookDecision(queue, subject, reconciler.reconcile(cluster, index, subject, context, failure));
    },

    decided({ queue, index, failures }, _cluster, subject, decision, { now }) {
      failures.delete(subject);
      noteLook(queue, subject, decision, now);
      reconciler.looked?.(index, subject, (decision?.result as Look | undefined)?.memory, now);
    },

    settled({ queue, failures }, decision, _ordinal, outcomes, now) {
      const { subject } = decision;
      const refused = outcomes.findIndex((outcome, index) => outcome.kind === 'refused' && !isGone(decision, index, outcome));
      const failure = refused < 0 ? undefined : failureOf(decision, refused, outcomes);
      if (failure) failures.set(subject, failure);
      queue.end(subject, refused >= 0, now);
      if (refused < 0 && outcomes.some((outcome) => outcome.kind === 'refused')) queue.add(subject);
    },

    nextWake: ({ queue }) => queue.nextWake(),
  };
}

/** What was to be changed or deleted has gone meanwhile: nothing has failed, there is only another state to look at. */
function isGone(decision: Decision, index: number, outcome: StepOutcome): boolean {
  return outcome.kind === 'refused' && outcome.status.code === 404 && decision.steps[index]?.request.verb !== 'create';
}

/** Somebody else's write in between is tried again without further ado; any other refusal is told to the next look. */
function failureOf(decision: Decision, index: number, outcomes: readonly StepOutcome[]): StepFailure | undefined {
  const outcome = outcomes[index];
  if (outcome?.kind !== 'refused') return undefined;
  const { code, message = '' } = outcome.status;
  return code === 409 ? undefined : { step: decision.steps[index]?.step ?? '', message };
}
