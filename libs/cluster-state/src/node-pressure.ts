import type { JsonObject } from '#libs/kernel';

/** An eviction threshold that the kubelet finds crossed. */
export interface MetThreshold {
  /** `memory.available<500Mi`; a soft one ends in its grace: `memory.available<1Gi for 15s`. */
  threshold: string;
  /** The look that first found it so, ms. */
  since: number;
  /** Its grace is over: something is to be reclaimed. */
  isRipe?: boolean;
}

/** A condition of the node that its kubelet holds for true, and the look that last found a reason for it, ms. */
export interface PressureCondition {
  type: string;
  lastObserved: number;
}

/** What the eviction manager of a node's kubelet knows from its looks. Times are cluster time, ms. Immutable. */
export interface NodePressure {
  /** One of the looks, which come every ten seconds; absent: they count from the start of the kubelet. */
  looksFrom?: number;
  /** The latest look that there was something to say of. */
  lookedAt?: number;
  met: readonly MetThreshold[];
  conditions: readonly PressureCondition[];
  /** How often it has tried to reclaim something, and when it last told of it. */
  told?: { times: number; at: number; left: number };
  /** The pod that it has evicted, and whose end it waits for. `limit`: for what it stored, not for the node's sake. */
  victim?: { uid: string; at: number; graceSeconds: number; limit?: boolean };
  /** When a pod ended that stored too much: the others that do are evicted right then. */
  passAt?: number;
}

export const noPressure: NodePressure = Object.freeze({ met: [], conditions: [] });

/** After an evicted pod has ended the kubelet waits this long until it looks again, ms (upstream `podCleanupPollFreq`). */
const lookAfterEvictionMs = 1_000;

/** What `NodePressureObserved` leaves of it: a look takes the place of the one before. */
export function pressureObserved(before: NodePressure, data: JsonObject): NodePressure {
  const { at, met, conditions, told } = data as unknown as { at: number } & Pick<NodePressure, 'met' | 'conditions' | 'told'>;
  const { looksFrom } = before;
  return { ...(looksFrom === undefined ? {} : { looksFrom }), lookedAt: at, met, conditions, ...(told ? { told } : {}) };
}

export function podEvicted(before: NodePressure, { uid, at, graceSeconds, limit }: JsonObject): NodePressure {
  const victim = { uid: uid as string, at: at as number, graceSeconds: graceSeconds as number, ...(limit ? { limit: true } : {}) };
  const { passAt: _, ...rest } = before;
  return { ...rest, victim };
}

/** The evicted pod is over, or gone. */
export function victimEnded({ victim, ...rest }: NodePressure, at: number): NodePressure {
  return { ...rest, looksFrom: at + lookAfterEvictionMs, ...(victim?.limit ? { passAt: at } : {}) };
}
