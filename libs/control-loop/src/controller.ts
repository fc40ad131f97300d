import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { DecisionStream, Fact } from '#libs/events';
import type { Chance, GroupResource, JsonObject } from '#libs/kernel';
import type { Status, WriteRequest } from '#libs/kube-api';

export interface DecisionContext {
  /** Cluster time, ms since the epoch. */
  readonly now: number;
  /** `controller/incarnation/ordinal`. */
  readonly decision: string;
  readonly ordinal: number;
  readonly chance: Chance;
  /** `why` asks: everything is looked at, also what could not change the decision. */
  readonly evaluateAll?: boolean;
}

/** A write of a decision. Its events get ids derived from the decision and the step, so a resumed act appends only what is absent. */
export interface Step {
  step: string;
  request: WriteRequest;
  /** Recorded when the step is refused, so that decisions which counted on it meanwhile can be made again. */
  refusal?: Fact;
}

/** The event that led to a decision, and the correlation it belongs to. */
export interface Cause {
  correlationId: string;
  causationId: string;
}

/** The last event of an append as a cause of what follows from it. */
export function causeOf(append: FoldedAppend): Cause {
  const { id, metadata } = append.events[append.events.length - 1] as FoldedAppend['events'][number];
  return { correlationId: (metadata.$correlationId as string | undefined) ?? id, causationId: id };
}

export interface Decision {
  /** What it is about; at most one decision on a subject is under way. */
  subject: string;
  /** Written first, to the controller's own stream: what was decided, before any of it is done. */
  records?: Fact[];
  steps: Step[];
  /** One after the other, stopping at the first refusal; otherwise side by side. */
  sequential?: boolean;
  /** Correlation to carry on (the event that led here); a new one otherwise. */
  cause?: Cause;
  /** Questions to be sent once the decision is recorded, by whoever owns the connection. */
  calls?: readonly Call[];
  /** What `decided` takes over into the state beside the decision; not recorded. */
  result?: unknown;
}

/** A question to somebody outside, whose answer will be recorded. */
export interface Call {
  /** Names the question, in its record and in its answer's. */
  ask: string;
  request: unknown;
}

export type StepOutcome =
  | { kind: 'written' }
  | { kind: 'unchanged' }
  | { kind: 'refused'; status: Status }
  /** Not tried, since an earlier step was refused. */
  | { kind: 'skipped' };

/** Among the resources that a controller follows: appends that change no object, such as decisions, reviews and what kubelets report. */
export const ofNoObject: GroupResource = '';

/**
 * A controller is a state machine: events are folded, decisions are asked for, nothing else happens inside. Its state is a
 * function of what was folded and of its own decisions with the times they were asked for; the shells own clock, log and concurrency.
 * Only `apply`, `decided` and `settled` change the state, so that whoever replays the log may ask as often as he likes.
 */
export interface Controller<S = unknown> {
  readonly name: string;
  /** Changes whenever the same inputs may give another decision. */
  readonly behaviour: string;
  /** Where its records go. */
  readonly stream: DecisionStream;
  /** The configuration in force; recorded when the controller starts. */
  readonly config: JsonObject;
  /** It reads why a step was refused, not only that it was: the reason is kept for those who replay it. */
  readonly readsRefusals?: boolean;
  /**
   * It takes in changes of objects of these resources (`ofNoObject`: what changes none) and nothing else of the log, and what is due follows
   * from its state alone: it is not troubled with the rest. Absent: it takes in every append, and may look at the cluster for what is due.
   */
  readonly follows?: readonly GroupResource[];
  /** State at a position, from the folded cluster alone: how it starts, and starts again. */
  initial(cluster: ClusterState, now: number): S;
  /** Folds one append; the cluster has it already, and nothing behind it. Time is the append's own. */
  apply(state: S, append: FoldedAppend, cluster: ClusterState): void;
  /** The subject that would be decided on now; undefined: nothing is due. Changes nothing. */
  next(state: S, cluster: ClusterState, now: number): string | undefined;
  /** What is decided on the subject; undefined, or an empty decision: there is nothing to do. Changes nothing, and gives the same when asked again. */
  decide(state: S, cluster: ClusterState, subject: string, context: DecisionContext): Decision | undefined;
  /** The subject was looked at, and this came of it. The only effect of a decision on the state. */
  decided(state: S, cluster: ClusterState, subject: string, decision: Decision | undefined, context: DecisionContext): void;
  /** All steps of a decision have been answered, and what they wrote has been folded. */
  settled(state: S, decision: Decision, ordinal: number, outcomes: readonly StepOutcome[], now: number): void;
  /** When time alone could bring the next decision, ms since the epoch. */
  nextWake(state: S, now: number): number | undefined;
}

/** Whether a decision writes nothing and asks nothing: it only takes its `result` to `decided`. */
export function isEmpty({ records, steps, calls }: Decision): boolean {
  return steps.length === 0 && !records?.length && !calls?.length;
}

/** Looks at what is due until something comes of it, as a shell does. */
export function nextDecision<S>(
  controller: Controller<S>,
  state: S,
  cluster: ClusterState,
  context: DecisionContext,
): Decision | undefined {
  for (;;) {
    const subject = controller.next(state, cluster, context.now);
    if (subject === undefined) return undefined;
    const decision = controller.decide(state, cluster, subject, context);
    controller.decided(state, cluster, subject, decision, context);
    if (decision && !isEmpty(decision)) return decision;
  }
}
