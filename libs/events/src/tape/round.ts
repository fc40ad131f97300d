/** What became of one step of a decision. */
export type TapedStep =
  | { kind: 'written' }
  | { kind: 'unchanged' }
  /** Not tried, since an earlier step was refused. */
  | { kind: 'skipped' }
  /** Not tried, since it was not certain any more that the instance leads. */
  | { kind: 'unled' }
  | TapedRefusal;

export interface TapedRefusal {
  kind: 'refused';
  /** HTTP status code. */
  code: number;
  /** Empty where the controller does not read it. */
  message: string;
  /** No answer came, so the log may have the step all the same. */
  isUncertain: boolean;
  /** The step's refusal was to be recorded, and could not be. */
  lacksRecord: boolean;
}

/** What became of a decision: of its steps in order, or of its record, without which no step is tried. */
export type TapedOutcome =
  | { kind: 'steps'; steps: readonly TapedStep[] }
  /** Every step was written. */
  | { kind: 'done' }
  /** Its record was refused, or no answer came: the log may have it all the same. */
  | { kind: 'unrecorded' }
  /** The instance did not lead any more when it was to be recorded. */
  | { kind: 'unled' };

export interface TapedSettlement {
  /** Place of the controller's start among the starts of its writer, from 0. */
  controller: number;
  ordinal: number;
  outcome: TapedOutcome;
}

/** What else a process has to say of itself at a round. */
export type TapedMark =
  /** The controller is asked no more and told nothing: it was stopped, or its start was given up. */
  | { kind: 'stopped'; controller: number }
  /** The controller is not asked until it is freed: it is not certain that its instance leads. */
  | { kind: 'barred'; controller: number }
  | { kind: 'freed'; controller: number };

/**
 * One round of a process: at this position and time its controllers were told what became of their decisions, and then asked in the order
 * of their starts for what was due. Everything else about their lives follows from the log.
 */
export interface Round {
  position: number;
  /** Cluster time, ms since the epoch. */
  now: number;
  settlements: readonly TapedSettlement[];
  marks: readonly TapedMark[];
}

/** Rounds of a writer that follow one another; the first has this number, counted from 0. */
export interface Tape {
  first: number;
  rounds: readonly Round[];
}

/** What a tape's first round is measured from: the append that carries it. */
export interface TapeBase {
  position: number;
  /** Cluster time, ms since the epoch. */
  time: number;
}
