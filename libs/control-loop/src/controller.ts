import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Basis, DecisionStream, Fact } from '#libs/events';
import type { Chance, JsonObject } from '#libs/kernel';
import type { Status, WriteRequest } from '#libs/kube-api';

export interface DecisionContext {
  /** Cluster time, ms since the epoch. */
  readonly now: number;
  /** `controller/incarnation/ordinal`. */
  readonly decision: string;
  readonly ordinal: number;
  readonly chance: Chance;
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
  /** Own decisions assumed though not folded yet begin at this ordinal. */
  assumedFrom?: number;
  /** Further inputs of the decision that the log would not show. */
  inputs?: JsonObject;
}

export type StepOutcome =
  | { kind: 'written'; position: number }
  | { kind: 'unchanged' }
  | { kind: 'refused'; status: Status }
  /** Not tried, since an earlier step was refused. */
  | { kind: 'skipped' };

/**
 * A controller is a state machine: events are folded, decisions are asked for, nothing else happens inside. Its state is a
 * function of what was folded, of its own decisions and of the times it was asked; the shells own clock, log and concurrency.
 */
export interface Controller<S = unknown> {
  readonly name: string;
  /** Changes whenever the same inputs may give another decision. */
  readonly behaviour: string;
  /** Where its records go. */
  readonly stream: DecisionStream;
  /** The configuration in force; recorded when the controller starts. */
  readonly config: JsonObject;
  /** State at a position, from the folded cluster alone: how it starts, and starts again. */
  initial(cluster: ClusterState, now: number): S;
  /** Folds one append; the cluster has it already, and nothing behind it. The time is the cluster's. */
  apply(state: S, append: FoldedAppend, cluster: ClusterState): void;
  /** The next decision that is due at `context.now`, or undefined. Marks its subject as under way. */
  decide(state: S, cluster: ClusterState, context: DecisionContext): Decision | undefined;
  /** All steps of a decision have been answered, and what they wrote has been folded. */
  settled(state: S, decision: Decision, ordinal: number, outcomes: readonly StepOutcome[], now: number): void;
  /** When time alone could bring the next decision, ms since the epoch. */
  nextWake(state: S, now: number): number | undefined;
  /**
   * The decision made again from its basis: the cluster is at `basis.position`, the state has folded all up to there.
   * `assumed`: the controller's own decisions from `basis.assumedFrom` on, with their events. Undefined: not derivable.
   */
  rederive?(
    state: S,
    cluster: ClusterState,
    basis: Basis,
    context: DecisionContext,
    assumed: readonly AssumedDecision[],
  ): Decision | undefined;
}

/** A decision of the same controller that was assumed before its events came back. */
export interface AssumedDecision {
  ordinal: number;
  subject: string;
  events: readonly { type: string; stream: string; data: JsonObject; position: number }[];
}
