import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import {
  WorkQueue,
  causeOf,
  isEmpty,
  lookDecision,
  noteLook,
  type Cause,
  type Decision,
  type DecisionContext,
  type PureController,
  type Reconciliation,
  type StepOutcome,
} from '#libs/control-loop';
import type { JsonObject } from '#libs/kernel';

/** A write that was refused. The log does not show it, so a decision that rests on it carries it as an input. */
export interface StepFailure {
  step: string;
  message: string;
}

/**
 * A level-triggered controller with look-ups of its own, kept as the log is folded. `reconcile` is a function of the cluster, the
 * index (itself a function of the log), the subject, the context, and the refusal that ended the last decision on the subject.
 */
export interface IndexedReconciler<I> {
  readonly name: string;
  readonly behaviour: string;
  readonly config: JsonObject;
  /** The index of a cluster, from nothing. */
  index(cluster: ClusterState): I;
  /** Takes an append into the index and names the subjects to look at for it. */
  follow(index: I, append: FoldedAppend, cluster: ClusterState): Iterable<string>;
  /** What to look at on start. */
  allSubjects(index: I, cluster: ClusterState): Iterable<string>;
  reconcile(cluster: ClusterState, index: I, subject: string, context: DecisionContext, failure?: StepFailure): Reconciliation | undefined;
}

export interface IndexedState<I> {
  queue: WorkQueue;
  index: I;
  failures: Map<string, StepFailure>;
}

/** The Controller that an IndexedReconciler makes. */
export function indexedController<I>(reconciler: IndexedReconciler<I>): PureController<IndexedState<I>> {
  const { name, behaviour, config } = reconciler;
  return {
    name,
    behaviour,
    config,
    stream: 'controller-decisions',
    readsRefusals: true,

    initial(cluster) {
      const state: IndexedState<I> = { queue: new WorkQueue(), index: reconciler.index(cluster), failures: new Map() };
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
      const decision = lookDecision(queue, subject, reconciler.reconcile(cluster, index, subject, context, failure));
      return decision && failure && !isEmpty(decision) ? { ...decision, inputs: { failure: { ...failure } } } : decision;
    },

    decided({ queue, failures }, _cluster, subject, decision, { now }) {
      failures.delete(subject);
      noteLook(queue, subject, decision, now);
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

    rederive({ index }, cluster, basis, context) {
      const failure = basis.inputs?.failure as StepFailure | undefined;
      const found = reconciler.reconcile(cluster, index, basis.subject, context, failure);
      return found && { ...found, subject: basis.subject };
    },
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
