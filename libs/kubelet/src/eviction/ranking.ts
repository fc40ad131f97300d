import { podInfoOf } from '#libs/scheduling';
import { isCriticalPod } from '../admission/critical-pods';
import { countedRequestOf } from '../admission/node-resources';
import { inodesOf, measuredDiskOf, memoryOf, pidsOf, type PodUsage } from './pod-usage';
import type { StarvedResource } from './signals';
import { usedAt, type UsageLine } from './usage-line';

/** A pod in the order of eviction. */
export interface RankedPod {
  of: PodUsage;
  /** Bytes, or a number of files or processes; undefined: nothing can be measured. */
  usage: number | undefined;
  request: number;
  priority: number;
  isCritical: boolean;
}

/**
 * The order in which pods are evicted (upstream `rankMemoryPressure`, `rankDiskPressureFunc`, `rankPIDPressure`): those of which nothing is measured, those that use
 * more than they asked for, then the others; of each the lower priority first, then what is furthest over its request. QoS counts for nothing. Nobody can ask for files, or for processes: who has any of the files is over
 * his request, and of processes only priority and number count.
 */
export function ranked(pods: readonly PodUsage[], resource: StarvedResource, time: number): RankedPod[] {
  return pods.map((usage) => rankedPod(usage, resource, time)).sort(resource === 'pids' ? byPriority : compare);
}

const lines: Readonly<Record<StarvedResource, (of: PodUsage) => UsageLine>> = {
  memory: memoryOf,
  'ephemeral-storage': measuredDiskOf,
  inodes: inodesOf,
  pids: pidsOf,
};

function rankedPod(of: PodUsage, resource: StarvedResource, time: number): RankedPod {
  const info = podInfoOf(of.pod);
  return {
    of,
    usage: of.containers && Math.ceil(usedAt(lines[resource](of), time)),
    request: resource === 'memory' || resource === 'ephemeral-storage' ? countedRequestOf(info, resource) : 0,
    priority: info.priority,
    isCritical: isCriticalPod(of.pod),
  };
}

/** Upstream asks first for the priority here. */
function byPriority(a: RankedPod, b: RankedPod): number {
  return a.priority - b.priority || (b.usage ?? Number.POSITIVE_INFINITY) - (a.usage ?? Number.POSITIVE_INFINITY) || 0;
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
