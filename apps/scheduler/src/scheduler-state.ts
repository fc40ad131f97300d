import type { PreemptionAct } from '#libs/cluster-state';
import type { Cause } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { EventHandlers, SchedulerCache, SchedulingQueue, type AttemptResult, type Profiles, type QueuedPodInfo } from '#libs/scheduling';

/** An attempt whose outcome is being written: the pod stays in flight until the log has it. */
export interface Flight {
  ordinal: number;
  uid: string;
  key: string;
  queued: QueuedPodInfo;
  result: AttemptResult;
  /** The pod is gone, bound or terminal by now: it does not come back to the queue. */
  isOver: boolean;
}

/** A preemption that another run of the scheduler left half done. */
export interface UnfinishedAct {
  uid: string;
  act: PreemptionAct;
}

/** What the scheduler knows: nodes and assigned pods, waiting pods, and what it has decided but not yet seen in the log. */
export interface SchedulerState {
  readonly profiles: Profiles;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly handlers: EventHandlers;
  /** Attempts under way, by the pod's uid. */
  readonly flights: Map<string, Flight>;
  /** Their ordinals, lowest first (they are added in order). */
  readonly ordinalsUnderWay: Set<number>;
  readonly unfinishedActs: UnfinishedAct[];
  /** Pending pods of ours as last seen, by uid. */
  readonly pending: Map<string, KubeObject>;
  /** The last event of each pending pod: the cause of its next attempt. */
  readonly causes: Map<string, Cause>;
  /** Where the next walk over the nodes begins (upstream `nextStartNodeIndex`). */
  nextStartNodeIndex: number;
}

export function newSchedulerState(profiles: Profiles): SchedulerState {
  const cache = new SchedulerCache();
  const queue = new SchedulingQueue(profiles, cache.listers);
  return {
    profiles,
    cache,
    queue,
    handlers: new EventHandlers(cache, queue, profiles),
    flights: new Map(),
    ordinalsUnderWay: new Set(),
    unfinishedActs: [],
    pending: new Map(),
    causes: new Map(),
    nextStartNodeIndex: 0,
  };
}
