import type { KubeObject } from '#libs/kernel';
import { quantityMilli, quantityValue } from '#libs/kernel';
import { podInfoOf, type PodInfo } from '#libs/scheduling';
import type { Rejection } from './rejection';

/** Qualified with a domain that is not Kubernetes' own. */
function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

function insufficient(resource: string, requested: number, used: number, capacity: number): Rejection {
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}

/**
 * The first resource that the node has too little of: pods, cpu, memory, ephemeral storage, then others by name (upstream
 * `fitsRequest`; cpu in thousandths, the rest in whole units). Extended resources that the node does not have are not its
 * business.
 */
export function resourceShortage(pod: KubeObject, node: KubeObject, others: readonly PodInfo[]): Rejection | undefined {
  const allocatable = (node.status?.allocatable ?? {}) as Record<string, string>;
  const podMax = quantityValue(allocatable.pods);
  if (others.length + 1 > podMax) return insufficient('pods', 1, others.length, podMax);
  const { requests } = podInfoOf(pod);
  const checks: [name: string, of: (info: PodInfo) => number][] = [
    ['cpu', (info) => info.requests.milliCpu],
    ['memory', (info) => info.requests.memory],
    ['ephemeral-storage', (info) => info.requests.ephemeralStorage],
  ];
  for (const name of [...(requests.scalars?.keys() ?? [])].sort()) {
    if (allocatable[name] === undefined && isExtended(name)) continue;
    checks.push([name, (info) => info.requests.scalars?.get(name) ?? 0]);
  }
  const own = podInfoOf(pod);
  for (const [name, of] of checks) {
    const requested = of(own);
    if (requested === 0) continue;
    const capacity = name === 'cpu' ? quantityMilli(allocatable.cpu) : quantityValue(allocatable[name]);
    let used = 0;
    for (const other of others) used += of(other);
    if (requested > capacity - used) return insufficient(name, requested, used, capacity);
  }
  return undefined;
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
