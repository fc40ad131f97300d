import { canonicalQuantity, quantityValue } from '#libs/kernel';
import { specOf } from '../pod-lifecycle/pod-types';
import { memoryOf, type ContainerUsage, type PodUsage } from './pod-usage';
import type { StarvedResource } from './signals';
import { binaryText } from './thresholds';
import { usedAt } from './usage-line';

/** What an eviction says, in the pod's status, its condition and its Event. */
export interface EvictionText {
  message: string;
  /** Of the Event. */
  annotations: Record<string, string>;
}

/** What was crossed, as quantities are written. */
export interface Shortage {
  quantity: string;
  available: string;
}

/**
 * Why a pod goes (upstream `evictionMessage`). Which containers use more than they asked for is told of memory only: of disk upstream tells it
 * where the logs of containers can be measured, and none of the recorded kubelets could.
 */
export function evictionText(of: PodUsage, resource: StarvedResource, { quantity, available }: Shortage, time: number): EvictionText {
  let message = `The node was low on resource: ${resource}. Threshold quantity: ${quantity}, available: ${available}. `;
  if (!of.containers) return { message, annotations: {} };
  const annotations: Record<string, string> = {};
  const ofPod = resource === 'memory' ? podLevelRequest(of) : undefined;
  if (ofPod !== undefined) {
    const usage = binaryText(usedAt(memoryOf(of), time));
    message += `Pod ${of.pod.metadata.name} was using ${usage}, request is ${ofPod}, has larger consumption of ${resource}. `;
    annotations.offending_pod = of.pod.metadata.name;
    annotations.offending_pod_usage = usage;
  }
  const offending = resource === 'memory' ? of.containers.filter((container) => isOver(container, time)) : [];
  for (const container of offending)
    message += `Container ${container.name} was using ${usageText(container, time)}, request is ${requestOf(container)}, has larger consumption of ${resource}. `;
  annotations.offending_containers = offending.map(({ name }) => name).join(',');
  annotations.offending_containers_usage = offending.map((container) => usageText(container, time)).join(',');
  annotations.starved_resource = resource;
  return { message, annotations };
}

function podLevelRequest({ pod }: PodUsage): string | undefined {
  const { resources } = specOf(pod) as { resources?: { requests?: Record<string, string> } };
  return canonicalQuantity(resources?.requests?.memory);
}

const isOver = ({ memory, requests }: ContainerUsage, time: number): boolean => usedAt(memory, time) > quantityValue(requests.memory);

const usageText = ({ memory }: ContainerUsage, time: number): string => binaryText(usedAt(memory, time));

const requestOf = ({ requests }: ContainerUsage): string => canonicalQuantity(requests.memory) ?? '0';
