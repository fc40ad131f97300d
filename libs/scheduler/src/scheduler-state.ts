import type { PreemptionAct } from '#libs/cluster-state';
import type { Cause } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { SchedulerCache, SchedulingQueue, type AttemptResult, type Profiles, type QueuedPodInfo } from '#libs/scheduling';

/** An attempt whose outcome is being written: the pod stays in flight until the log has it. */
export interface Flight {
  ordinal: number;
  uid: string;
  queued: QueuedPodInfo;
  result: Ending;
  /** The pod is gone, bound or terminal by now: it does not come back to the queue. */
  isOver: boolean;
  /** What a pod that has a node waits for before it is bound; absent: only for the log. */
  waiting?: BindingWait;
  /** Something has happened that may end the wait. */
  isToBeLookedAt: boolean;
}

export type Failure = Exclude<AttemptResult, { kind: 'bound' }>;

/** How an attempt ended: a node that the pod is to be bound to, or why there is none. */
export type Ending = { kind: 'bound'; node: string } | Failure;

/** The binding of an assumed pod waits for a Permit plugin, or for the extender that binds it. */
export type BindingWait =
  | { for: 'permit'; node: string; until: number; waitMs: number; plugin: string; isPreempted: boolean }
  | { for: 'extender'; node: string; ask: string; isBound: boolean };

/** The attempt that waits for an extender's answer. One at a time, as upstream's scheduling cycle is. */
export interface AskingAttempt {
  queued: QueuedPodInfo;
  /** The question it waits for. */
  ask: string;
  ordinal: number;
  inputs: AttemptInputs;
  isAnswered: boolean;
}

/** What an attempt is made with beside the state; in the basis of its decisions. */
export interface AttemptInputs {
  start: number;
  poppedFrom: string;
  /** Of a later part of an attempt: the decision it began with, and what chance had said until then. */
  attempt?: string;
  draws?: readonly number[];
}

/** A preemption that another run of the scheduler left half done. */
export interface UnfinishedPreemption {
  /** Of the preemptor. */
  uid: string;
  act: PreemptionAct;
}

/** What the scheduler knows: nodes and assigned pods, waiting pods, and what it has decided but not yet seen in the log. */
export interface SchedulerState {
  readonly profiles: Profiles;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  /** Attempts under way, by the pod's uid. */
  readonly flights: Map<string, Flight>;
  /** Decisions under way by ordinal, lowest first (they are added in order); those that are about a pod, with its flight. */
  readonly underWay: Map<number, Flight | undefined>;
  /** Flights that wait before the binding. */
  readonly waits: Set<Flight>;
  asking: AskingAttempt | undefined;
  /** Pods that a Permit plugin holds back, by uid: they are turned away, not deleted, when they are victims. */
  readonly held: Set<string>;
  readonly unfinishedPreemptions: UnfinishedPreemption[];
  /** Pending pods of ours as last seen, by uid. */
  readonly pending: Map<string, KubeObject>;
  /** The last event of each pending pod: the cause of its next attempt. */
  readonly causes: Map<string, Cause>;
  /** Where the next walk over the nodes begins (upstream `nextStartNodeIndex`). */
  nextStartNodeIndex: number;
}

/** A scheduler that knows nothing yet; `addAllEventHandlers` tells it what there is. */
export function newSchedulerState(profiles: Profiles): SchedulerState {
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  return {
    profiles,
    cache,
    queue,
    flights: new Map(),
    underWay: new Map(),
    waits: new Set(),
    asking: undefined,
    held: new Set(),
    unfinishedPreemptions: [],
    pending: new Map(),
    causes: new Map(),
    nextStartNodeIndex: 0,
  };
}
