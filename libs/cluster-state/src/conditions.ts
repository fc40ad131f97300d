import type { JsonObject, KubeObject } from '#libs/kernel';

export interface Condition extends JsonObject {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string | null;
  lastProbeTime?: string | null;
  observedGeneration?: number;
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return (object.status?.conditions as Condition[] | undefined)?.find((condition) => condition.type === type);
}

/**
 * The conditions with one set: lastTransitionTime moves only when the status flips (upstream `UpdatePodCondition`).
 * Gives back the same array when nothing changes.
 */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Omit<Condition, 'lastTransitionTime'> & { type: string; status: string },
  time: string,
): Condition[] {
  const place = conditions?.findIndex((condition) => condition.type === next.type) ?? -1;
  const old = place < 0 ? undefined : conditions?.[place];
  const condition = {
    type: next.type,
    ...(next.observedGeneration === undefined ? {} : { observedGeneration: next.observedGeneration }),
    status: next.status,
    lastProbeTime: null,
    lastTransitionTime: old && old.status === next.status ? (old.lastTransitionTime ?? time) : time,
    ...(next.reason ? { reason: next.reason } : {}),
    ...(next.message ? { message: next.message } : {}),
  } as Condition;
  const list = conditions ? conditions.slice() : [];
  if (place < 0) list.push(condition);
  else list[place] = condition;
  return list;
}
