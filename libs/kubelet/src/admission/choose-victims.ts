import type { KubeObject } from '#libs/kernel';
import { podInfoOf, type PodInfo } from '#libs/scheduling';
import { mayPreempt } from './critical-pods';
import { countedRequestOf, type Shortage } from './node-resources';

/** How much of a resource is missing. */
interface Requirement {
  resource: string;
  quantity: number;
}

/** The victims in the order in which they go, or why there are none. */
export type VictimChoice = { victims: KubeObject[] } | { error: string };

/**
 * Whose room a critical pod takes (upstream kubelet's `preemption`): of guaranteed pods as few as there have to be when all others went, of
 * burstable ones as few as there have to be beside them, then of best-effort ones.
 */
export function chooseVictims(preemptor: KubeObject, pods: Iterable<KubeObject>, shortages: readonly Shortage[]): VictimChoice {
  const required = shortages.map(({ resource, requested, used, capacity }) => ({ resource, quantity: requested - (capacity - used) }));
  const classes: Record<string, PodInfo[]> = { BestEffort: [], Burstable: [], Guaranteed: [] };
  for (const pod of pods) if (mayPreempt(preemptor, pod)) classes[(pod.status?.qosClass as string | undefined) ?? '']?.push(podInfoOf(pod));
  const { BestEffort = [], Burstable = [], Guaranteed = [] } = classes;
  const missing = without(required, [...BestEffort, ...Burstable, ...Guaranteed]);
  if (missing.length > 0) return { error: `no set of running pods found to reclaim resources: ${inWords(missing)}` };
  const guaranteed = nearest(Guaranteed, without(required, [...BestEffort, ...Burstable]));
  const burstable = nearest(Burstable, without(required, [...BestEffort, ...guaranteed]));
  const bestEffort = nearest(BestEffort, without(required, [...burstable, ...guaranteed]));
  return { victims: [...bestEffort, ...burstable, ...guaranteed].map(({ pod }) => pod) };
}

/** Again and again the pod that leaves the least missing; of two alike the one that asks for less. They suffice together. */
function nearest(candidates: readonly PodInfo[], required: readonly Requirement[]): PodInfo[] {
  const left = [...candidates];
  const chosen: PodInfo[] = [];
  let missing = required;
  while (missing.length > 0 && left.length > 0) {
    let best = 0;
    let bestDistance = Number.POSITIVE_INFINITY;
    left.forEach((pod, index) => {
      const distance = distanceTo(missing, pod);
      if (distance < bestDistance || (distance === bestDistance && asksForLess(pod, left[best] as PodInfo))) {
        best = index;
        bestDistance = distance;
      }
    });
    const found = left[best] as PodInfo;
    const last = left.pop() as PodInfo;
    if (best < left.length) left[best] = last;
    missing = without(missing, [found]);
    chosen.push(found);
  }
  return chosen;
}

/** What is still missing when these pods go. */
function without(required: readonly Requirement[], pods: readonly PodInfo[]): Requirement[] {
  return required
    .map(({ resource, quantity }) => ({ resource, quantity: pods.reduce((rest, pod) => rest - countedRequestOf(pod, resource), quantity) }))
    .filter(({ quantity }) => quantity > 0);
}

/** The squares of the fractions that the pod leaves missing: each resource counts alike. */
function distanceTo(required: readonly Requirement[], pod: PodInfo): number {
  let distance = 0;
  for (const { resource, quantity } of required) {
    const rest = quantity - countedRequestOf(pod, resource);
    if (rest > 0) distance += (rest / quantity) ** 2;
  }
  return distance;
}

function asksForLess(a: PodInfo, b: PodInfo): boolean {
  for (const resource of ['memory', 'cpu']) {
    const difference = countedRequestOf(a, resource) - countedRequestOf(b, resource);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

function inWords(required: readonly Requirement[]): string {
  return `[${required.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join('')}]`;
}
