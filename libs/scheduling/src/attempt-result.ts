import type { CycleState } from './framework/cycle-state';
import type { Extender } from './config/types';
import type { ExtenderAnswers, ExtenderCall } from './extenders/extender';
import type { Diagnosis } from './framework/diagnosis';
import type { ObjectWrite, PreemptionOutcome } from './framework/interface';
import type { NominatedPods } from './framework/nominated-pods';
import type { Framework } from './framework/runtime';
import type { Code } from './framework/status';
import type { NodeScores } from './score-nodes';

export interface AttemptOptions {
  readonly profile: Framework;
  /** The configuration's global value; the profile's own wins. 0: by the size of the cluster. */
  readonly percentageOfNodesToScore?: number;
  readonly nominated?: NominatedPods;
  /** A whole number in [0, bound), the only source of ties. */
  readonly chance: (bound: number) => number;
  /** Where in the list of nodes to start; comes back with the result. */
  readonly nextStartNodeIndex?: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The configuration's extenders, and what they have answered so far in this attempt. */
  readonly extenders?: readonly Extender[];
  readonly extenderAnswers?: ExtenderAnswers;
  /** Look at every node, and try every node in preemption: for explanations. The decision may differ from a sampled one. */
  readonly evaluateAll?: boolean;
}

export interface Examined {
  readonly nodeCount: number;
  readonly evaluatedCount: number;
  readonly feasible: readonly string[];
  readonly diagnosis: Diagnosis;
  readonly nextStartNodeIndex: number;
}

export interface BoundResult extends Examined {
  readonly kind: 'bound';
  readonly node: string;
  /** The nodes of the highest total; chance took `node`. */
  readonly best: readonly string[];
  readonly nominatedNodeUsed: boolean;
  /** Absent when there was nothing to choose. */
  readonly scores?: NodeScores;
  /** For the plugins' Reserve and later points. */
  readonly state: CycleState;
}

export interface PostFilterOutcome {
  readonly code: Code;
  readonly message: string;
  /** The node the pod is nominated to, '' to clear an earlier nomination, undefined to leave it as it is. */
  readonly nominatedNodeName?: string;
  readonly preemption?: PreemptionOutcome;
  /** Changes of other objects that follow (claims given up); usually none. */
  readonly writes: readonly ObjectWrite[];
}

export interface UnschedulableResult extends Examined {
  readonly kind: 'unschedulable';
  /** The whole FailedScheduling text. */
  readonly message: string;
  readonly unschedulablePlugins: ReadonlySet<string>;
  readonly pendingPlugins: ReadonlySet<string>;
  readonly postFilter?: PostFilterOutcome;
}

/** Our own fault, or no node at all: retried after back-off; the nomination is cleared. */
export interface ErrorResult {
  readonly kind: 'error';
  readonly message: string;
  /** The condition's reason: a cluster without nodes refuses a pod, everything else is an error. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly nextStartNodeIndex: number;
}

export type AttemptResult = BoundResult | UnschedulableResult | ErrorResult;

/** The attempt cannot go on before an extender has answered; only ever with extenders. */
export interface ExtenderNeeded {
  readonly kind: 'ask';
  readonly call: ExtenderCall;
}
