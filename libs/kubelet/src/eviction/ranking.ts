import { podInfoOf } from '#libs/scheduling';
import { countedRequestOf } from '../admission/node-resources';
import { isCritical, measuredDiskOf, memoryOf, type PodUsage } from './pod-usage';
import type { StarvedResource } from './signals';
import { usedAt } from './usage-line';

/** A pod in the order of eviction. */
export interface RankedPod {
  of: PodUsage;
  /** Bytes; undefined: nothing can be measured. */
  usage: number | undefined;
  request: number;
  priority: number;
  isCritical: boolean;
}

/**
 * The order in which pods are evicted (upstream `rankMemoryPressure`, `rankDiskPressureFunc`): those of which nothing is measured, those that use
 * more than they asked for, then the others; of each the lower priority first, then what is furthest over its request. QoS counts for nothing.
 */
export function ranked(pods: readonly PodUsage[], resource: StarvedResource, time: number): RankedPod[] {
  return pods.map((usage) => rankedPod(usage, resource, time)).sort(compare);
}

function rankedPod(of: PodUsage, resource: StarvedResource, time: number): RankedPod {
  const info = podInfoOf(of.pod);
  const line = resource === 'memory' ? memoryOf(of) : measuredDiskOf(of);
  return {
    of,
    usage: of.containers && Math.ceil(usedAt(line, time)),
    request: countedRequestOf(info, resource),
    priority: info.priority,
    isCritical: isCritical(of.pod),
  };
}

function compare(a: RankedPod, b: RankedPod): number {
  if (a.usage === undefined || b.usage === undefined) {
    const unmeasured = Number(b.usage === undefined) - Number(a.usage === undefined);
    return unmeasured !== 0 ? unmeasured : a.priority - b.priority;
  }
  const exceeding = Number(b.usage > b.request) - Number(a.usage > a.request);
  if (exceeding !== 0) return exceeding;
  return a.priority - b.priority || b.usage - b.request - (a.usage - a.request);
}
