import { conditionOf } from '#libs/cluster-state';
import { parseTime, type KubeObject, type ObjectKey } from '#libs/kernel';

/** What a look at a Service has seen: when it was made and when each of its pods last turned ready or not, ms since the epoch. */
export interface SeenTimes {
  service: number;
  pods: ReadonlyMap<string, number>;
}

/**
 * Since when what is in a Service's endpoints could have been there: what annotation `endpoints.kubernetes.io/last-change-trigger-time`
 * says. It rests on what the look before has seen (upstream `TriggerTimeTracker`); a start forgets that, as upstream's does.
 */
export class TriggerTimes {
  private readonly seen = new Map<ObjectKey, SeenTimes>();

  /** The first moment that this look has seen and the one before has not, ms; undefined: there is none. */
  triggerOf(key: ObjectKey, times: SeenTimes): number | undefined {
    const before = this.seen.get(key);
    if (!before) return times.service;
    let first = times.service > before.service ? times.service : Infinity;
    for (const [pod, time] of times.pods) if (time > (before.pods.get(pod) ?? -Infinity)) first = Math.min(first, time);
    return first === Infinity ? undefined : first;
  }

  note(key: ObjectKey, times: SeenTimes | undefined): void {
    if (times) this.seen.set(key, times);
    else this.seen.delete(key);
  }
}

export function seenTimes(service: KubeObject, pods: readonly KubeObject[]): SeenTimes {
  const times = new Map<string, number>();
  for (const pod of pods) {
    const time = parseTime(conditionOf(pod, 'Ready')?.lastTransitionTime);
    if (time !== undefined) times.set(pod.metadata.name, time);
  }
  return { service: parseTime(service.metadata.creationTimestamp) ?? 0, pods: times };
}
