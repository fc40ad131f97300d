import type { KubeObject } from '#libs/kernel';
import { quantityMilli, quantityValue } from '#libs/kernel';
import { podInfoOf, podLevelResource, podLevelResourcesSet, type PodInfo } from '#libs/scheduling';
import type { Rejection } from './rejection';

/** Qualified with a domain that is not Kubernetes' own. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/** A resource of which a node has too little for a pod: cpu in thousandths, the rest in whole units. */
export interface Shortage {
  resource: string;
  requested: number;
  used: number;
  capacity: number;
}

export function insufficient({ resource, requested, used, capacity }: Shortage): Rejection {
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

/**
 * The resources that the node has too little of: pods, cpu, memory, ephemeral storage, then others by name (upstream
 * `fitsRequest`). Extended resources that the node does not have are not its business.
 */
export function resourceShortages(pod: KubeObject, node: KubeObject, others: readonly PodInfo[]): Shortage[] {
  const allocatable = (node.status?.allocatable ?? {}) as Record<string, string>;
  const podMax = quantityValue(allocatable.pods);
  const own = podInfoOf(pod);
  const names = ['cpu', 'memory', 'ephemeral-storage'];
  for (const name of [...(own.requests.scalars?.keys() ?? [])].sort()) {
    if (allocatable[name] !== undefined || !isExtended(name)) names.push(name);
  }
  const shortages: Shortage[] = [];
  if (others.length + 1 > podMax) shortages.push({ resource: 'pods', requested: 1, used: others.length, capacity: podMax });
  for (const resource of names) {
    const requested = requestOf(own, resource);
    if (requested === 0) continue;
    const capacity = resource === 'cpu' ? quantityMilli(allocatable.cpu) : quantityValue(allocatable[resource]);
    let used = 0;
    for (const other of others) used += requestOf(other, resource);
    if (requested > capacity - used) shortages.push({ resource, requested, used, capacity });
  }
  return shortages;
}

/** What a pod asks for of a resource; of `pods` it is one. */
export function requestOf({ requests }: PodInfo, resource: string): number {
  if (resource === 'pods') return 1;
  if (resource === 'cpu') return requests.milliCpu;
  if (resource === 'memory') return requests.memory;
  if (resource === 'ephemeral-storage') return requests.ephemeralStorage;
  return requests.scalars?.get(resource) ?? 0;
}

/**
 * What a pod is held to have asked for, where kubelets rank pods and choose whom to end (upstream `GetResourceRequest`): of a pod with resources of its
 * own nothing else counts, also of ephemeral storage, which it cannot have.
 */
export function countedRequestOf(info: PodInfo, resource: string): number {
  if (resource !== 'pods' && !podLevelResource(resource) && podLevelResourcesSet(info.pod)) return 0;
  return requestOf(info, resource);
}

/** A host port is taken when protocol and number are, on this address or on all of them. */
export function portTaken(pod: KubeObject, others: readonly PodInfo[]): boolean {
  const { hostPorts } = podInfoOf(pod);
  if (hostPorts.length === 0) return false;
  const anywhere = '0.0.0.0';
  return others.some((other) =>
    other.hostPorts.some((held) =>
      hostPorts.some(
        ({ ip, port, protocol }) =>
          port === held.port && protocol === held.protocol && (ip === held.ip || ip === anywhere || held.ip === anywhere),
      ),
    ),
  );
}
