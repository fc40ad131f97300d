import { parseTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { podQosClass } from '../kinds/core/pods/qos';
import {
  containersOf,
  count,
  hasPodLevelResources,
  isPodLevelResource,
  podResources,
  readList,
  type PodResourcesOptions,
  type ResourceList,
} from '../resources';
import { isExtendedResource } from '../validation/resources';
import type { Demand, Traits } from './demand';

/** A quota on one of these wants every container to say how much of it it uses. Upstream calls that a mistake, and keeps it. */
const wanted = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

const counted: PodResourcesOptions = { countsStatus: true, countsOverhead: true, isPodLevel: isPodLevelResource };

/** `count/pods` counts every pod; all else only those that are neither finished nor overdue to be gone. */
export function podDemand(pod: KubeObject, now: number): Demand {
  const usage: ResourceList = new Map([['count/pods', count(1)]]);
  if (isUnderWay(pod, now)) {
    const amounts = computeUsage(podResources(pod, 'requests', counted), podResources(pod, 'limits', counted));
    for (const [name, amount] of amounts) usage.set(name, amount);
  }
  const unset = unsetResources(pod);
  return { usage, traits: traitsOf(pod), ...(unset ? { unset } : {}) };
}

/** Cluster time, ms, from which a pod that is on its way out counts no longer; undefined: it is not on its way out. */
export function overdueAt({ metadata }: KubeObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  return (parseTime(deletionTimestamp) ?? 0) + deletionGracePeriodSeconds * 1000;
}

function isUnderWay(pod: KubeObject, now: number): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const overdue = overdueAt(pod);
  return overdue === undefined || now <= overdue;
}

function computeUsage(requests: ResourceList, limits: ResourceList): ResourceList {
  const usage: ResourceList = new Map([['pods', count(1)]]);
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const [request, limit] = [requests.get(name), limits.get(name)];
    if (request) usage.set(name, request).set(`requests.${name}`, request);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (name.startsWith('hugepages-')) usage.set(name, request).set(`requests.${name}`, request);
    if (isExtendedResource(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

function unsetResources(pod: KubeObject): Record<string, string[]> | undefined {
  if (hasPodLevelResources(pod)) return undefined;
  const unset: Record<string, string[]> = {};
  for (const { name, resources } of [...containersOf(pod, 'containers'), ...containersOf(pod, 'initContainers')]) {
    const usage = computeUsage(readList(resources?.requests), readList(resources?.limits));
    for (const resource of wanted) if (!usage.has(resource)) (unset[resource] ??= []).push(name);
  }
  return Object.keys(unset).length > 0 ? unset : undefined;
}

function traitsOf(pod: KubeObject): Traits {
  const { activeDeadlineSeconds, priorityClassName } = (pod.spec ?? {}) as { activeDeadlineSeconds?: number; priorityClassName?: string };
  return {
    ...(typeof activeDeadlineSeconds === 'number' && activeDeadlineSeconds >= 0 ? { terminating: true } : {}),
    ...(podQosClass(pod) === 'BestEffort' ? { bestEffort: true } : {}),
    ...(priorityClassName ? { priorityClass: priorityClassName } : {}),
    ...(hasCrossNamespaceAffinity(pod) ? { crossNamespaceAffinity: true } : {}),
  };
}

interface AffinityTerm {
  namespaces?: string[];
  namespaceSelector?: JsonObject | null;
  podAffinityTerm?: AffinityTerm;
}

function hasCrossNamespaceAffinity(pod: KubeObject): boolean {
  const { podAffinity, podAntiAffinity } = (pod.spec?.affinity ?? {}) as Record<
    string,
    Record<string, AffinityTerm[] | undefined> | undefined
  >;
  return [podAffinity, podAntiAffinity].some((affinity) =>
    Object.values(affinity ?? {}).some((terms) =>
      (terms ?? []).some((term) => {
        const { namespaces = [], namespaceSelector } = term.podAffinityTerm ?? term;
        return namespaces.length > 0 || (namespaceSelector !== undefined && namespaceSelector !== null);
      }),
    ),
  );
}
