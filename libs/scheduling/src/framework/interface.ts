import type { CycleState } from './cycle-state';
import type { ClusterEventWithHint } from './events';
import type { NodeInfo } from './node-info';
import type { PodInfo } from './pod-info';
import type { Listers } from './listers';
import type { Status } from './status';
import type { Diagnosis } from './diagnosis';

/**
 * The extension points of the scheduling framework. A plugin implements those it needs and is otherwise without state: what it
 * remembers during an attempt goes into the CycleState, what it may know of the cluster comes from `state.cycle`.
 */
export interface Plugin {
  readonly name: string;
  /** Of a plugin of one's own: another one whenever the same inputs may give another verdict. Recorded with every decision. */
  readonly version?: string;
  /** Which changes may make a pod schedulable that this plugin refused. Absent: every change. */
  eventsToRegister?(): readonly ClusterEventWithHint[];
}

/** Before the pod may wait for scheduling at all. */
export interface PreEnqueuePlugin extends Plugin {
  preEnqueue(pod: PodInfo, context: PreEnqueueContext): Status | undefined;
}

export interface PreEnqueueContext {
  readonly listers: Listers;
  /** Pods whose preemption is being carried out (by uid). */
  isPreempting(uid: string): boolean;
}

export interface QueuedPod {
  readonly info: PodInfo;
  /** When the pod came to the queue or last failed, milliseconds. */
  readonly timestamp: number;
}

/** The order of the active queue. Exactly one in a configuration. */
export interface QueueSortPlugin extends Plugin {
  less(a: QueuedPod, b: QueuedPod): boolean;
}

/** The only nodes worth filtering, where a PreFilter plugin knows them. */
export interface NodeNames {
  readonly nodeNames: ReadonlySet<string>;
}

/** Once an attempt, before any node is looked at. `skip`: this plugin's Filter is not run. */
export interface PreFilterPlugin extends Plugin {
  preFilter(state: CycleState, pod: PodInfo): Status | NodeNames | undefined;
  /** Takes a pod added to (removed from) the node in a dry run into account. */
  addPod?(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  removePod?(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
}

/**
 * Promised by a plugin whose verdict (or score) follows from the node and the pod's shape alone: its priority, node name, tolerations,
 * node selection and affinity, ports and resources. Such answers are remembered until the node changes.
 */
interface NodeLocal extends Plugin {
  readonly isNodeLocal?: true;
}

/** Once a node. The hot path: no allocation where the node passes. */
export interface FilterPlugin extends NodeLocal {
  filter(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
}

export interface VictimRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly priority: number;
}

export interface PostFilterResult {
  readonly status: Status | undefined;
  /** The nomination that follows: a node, '' to clear an earlier one, undefined to leave it as it is. */
  readonly nominatedNodeName?: string;
  readonly preemption?: PreemptionOutcome;
  /** Changes of other objects that follow. */
  readonly writes?: readonly ObjectWrite[];
}

export interface PreemptionCandidate {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodInfo[];
  readonly pdbViolationCount: number;
}

export type PreemptionCriterion =
  'single' | 'numPDBViolations' | 'highestPriority' | 'sumPriorities' | 'victimCount' | 'latestStartTime' | 'tie';

export interface PreemptionOutcome {
  readonly isEligible: boolean;
  readonly potentialNodes: readonly string[];
  readonly candidates: readonly PreemptionCandidate[];
  /** Why the other nodes that were tried are no candidates. */
  readonly rejections: ReadonlyMap<string, Status>;
  /** The candidates left after all criteria; with more than one, chance took `chosen`. */
  readonly best: readonly string[];
  readonly chosen?: PreemptionCandidate;
  readonly decidedBy?: PreemptionCriterion;
  /** Lower-priority pods nominated to the chosen node: their nomination is to be cleared. */
  readonly nominationsToClear: readonly PodInfo[];
}

/** When no node passed. The first plugin that succeeds ends the search. */
export interface PostFilterPlugin extends Plugin {
  postFilter(state: CycleState, pod: PodInfo, diagnosis: Diagnosis, framework: FilterRunner): PostFilterResult;
}

/** What a PostFilter plugin may ask of the framework. */
export interface FilterRunner {
  /** Tells profiles apart. */
  readonly id: number;
  runFiltersWithNominatedPods(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  runAddPod(state: CycleState, pod: PodInfo, added: PodInfo, node: NodeInfo): Status | undefined;
  runRemovePod(state: CycleState, pod: PodInfo, removed: PodInfo, node: NodeInfo): Status | undefined;
}

export interface PreemptionExtenders {
  process(pod: PodInfo, candidates: readonly PreemptionCandidate[]): readonly PreemptionCandidate[] | Status;
}

/** Once an attempt, over the nodes that passed. `skip`: this plugin's Score is not run. */
export interface PreScorePlugin extends Plugin {
  preScore(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[]): Status | undefined;
}

export interface ScorePlugin extends NodeLocal {
  /** A whole number; 0 to 100 after normalisation. */
  score(state: CycleState, pod: PodInfo, node: NodeInfo): number;
  /** Changes the scores in place; `scores[i]` belongs to `nodes[i]`. */
  normalizeScores?(state: CycleState, pod: PodInfo, nodes: readonly NodeInfo[], scores: number[]): void;
}

/** The node is chosen: take what the pod needs there, or refuse. Undone in reverse order when anything later fails. */
export interface ReservePlugin extends Plugin {
  reserve(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
  unreserve(state: CycleState, pod: PodInfo, node: NodeInfo): void;
}

/** May allow, refuse, or (code Wait) hold the pod back; `waitMs` bounds the waiting. */
export interface PermitPlugin extends Plugin {
  permit(state: CycleState, pod: PodInfo, node: NodeInfo): { status: Status | undefined; waitMs?: number };
}

/** A change of another object that has to be made before the pod may be bound. */
export interface ObjectWrite {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** JSON merge patch; a patch of `status` is one of the status subresource. */
  readonly patch: object;
}

export interface PreBindPlugin extends Plugin {
  /** What to write first; the pod waits until `isBound` says so. */
  preBind(state: CycleState, pod: PodInfo, node: NodeInfo): { status: Status | undefined; writes: readonly ObjectWrite[] };
}

/** `skip` hands the pod on to the next Bind plugin. */
export interface BindPlugin extends Plugin {
  bind(state: CycleState, pod: PodInfo, node: NodeInfo): Status | undefined;
}

export interface PostBindPlugin extends Plugin {
  postBind(state: CycleState, pod: PodInfo, node: NodeInfo): void;
}
