import type { KubeObject } from '#libs/kernel';
import type { RawContainer, RawContainerStatus, ResourceMap } from './kube-types';
import { podSpec, podStatus } from './kube-types';
import type { MilliList } from './resource';
import { addList, addMap, defaultMemoryRequest, defaultMilliCpuRequest, maxList } from './resource';
import { jsonEqual, quantityMilli } from '#libs/kernel';

/** Amounts (in thousandths) assumed for a container that does not name the resource. */
export type MissingDefaults = readonly (readonly [string, number])[];

const cpuDefault = ['cpu', defaultMilliCpuRequest] as const;
const memoryDefault = ['memory', defaultMemoryRequest * 1000] as const;
export const containerDefaults: MissingDefaults = [cpuDefault, memoryDefault];

/** A pod may have an amount of it as a whole, whatever its containers ask for. */
export const podLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

export function podLevelRequestsSet(pod: KubeObject): boolean {
  const requests = podSpec(pod).resources?.requests;
  return requests !== undefined && Object.keys(requests).some(podLevelResource);
}

/** The pod has resources of its own, requests or limits (component-helpers `IsPodLevelResourcesSet`). */
export function podLevelResourcesSet(pod: KubeObject): boolean {
  const { requests = {}, limits = {} } = podSpec(pod).resources ?? {};
  return Object.keys(requests).some(podLevelResource) || Object.keys(limits).some(podLevelResource);
}

/**
 * What the pod asks for: the containers and sidecars together, or the peak of the init sequence if that is more, replaced by
 * pod-level requests where set, plus overhead. A container being resized counts with the most of what it asks, has been
 * allocated and runs with (component-helpers `resource.PodRequests`).
 */
export function podRequests(pod: KubeObject, missing?: MissingDefaults, countsPodLevel = true): MilliList {
  const spec = podSpec(pod);
  const requests = containerRequests(pod, missing);
  const podLevel = spec.resources?.requests;
  if (podLevel !== undefined && countsPodLevel) {
    for (const name of Object.keys(podLevel)) if (podLevelResource(name)) requests.set(name, quantityMilli(podLevel[name]));
  }
  addMap(requests, spec.overhead);
  return requests;
}

function containerRequests(pod: KubeObject, missing: MissingDefaults | undefined): MilliList {
  const spec = podSpec(pod);
  const statuses = containerStatuses(pod);
  const infeasible = statuses !== undefined && resizeInfeasible(pod);
  const requests: MilliList = new Map();
  for (const container of spec.containers ?? []) {
    addList(requests, effectiveRequests(container, statuses?.get(container.name), infeasible, missing));
  }
  if (spec.initContainers === undefined || spec.initContainers.length === 0) return requests;
  const sidecars: MilliList = new Map();
  const initPeak: MilliList = new Map();
  for (const container of spec.initContainers) {
    const isSidecar = container.restartPolicy === 'Always';
    const own = effectiveRequests(container, isSidecar ? statuses?.get(container.name) : undefined, infeasible, missing);
    if (isSidecar) {
      addList(requests, own);
      addList(sidecars, own);
      maxList(initPeak, sidecars);
    } else {
      addList(own, sidecars);
      maxList(initPeak, own);
    }
  }
  maxList(requests, initPeak);
  return requests;
}

function containerStatuses(pod: KubeObject): Map<string, RawContainerStatus> | undefined {
  const { containerStatuses: main = [], initContainerStatuses: init = [] } = podStatus(pod);
  let byName: Map<string, RawContainerStatus> | undefined;
  for (const list of [main, init]) {
    for (const status of list) if (status.resources !== undefined) (byName ??= new Map()).set(status.name, status);
  }
  return byName;
}

/** Whether the statuses of two versions of a pod, of one spec, lead to the same requests. */
export function statusAsksAlike(before: KubeObject, pod: KubeObject): boolean {
  const [was, is] = [podStatus(before), podStatus(pod)];
  const areAlike = (old: readonly RawContainerStatus[] = [], now: readonly RawContainerStatus[] = []): boolean =>
    old.length === now.length && now.every((status, index) => hasSameResources(old[index] as RawContainerStatus, status));
  return (
    areAlike(was.containerStatuses, is.containerStatuses) &&
    areAlike(was.initContainerStatuses, is.initContainerStatuses) &&
    resizeInfeasible(before) === resizeInfeasible(pod)
  );
}

function hasSameResources(before: RawContainerStatus, { name, resources, allocatedResources }: RawContainerStatus): boolean {
  return before.name === name && jsonEqual(before.resources, resources) && jsonEqual(before.allocatedResources, allocatedResources);
}

function resizeInfeasible(pod: KubeObject): boolean {
  const conditions = podStatus(pod).conditions ?? [];
  return conditions.some((condition) => condition.type === 'PodResizePending' && condition.reason === 'Infeasible');
}

function effectiveRequests(
  container: RawContainer,
  status: RawContainerStatus | undefined,
  infeasible: boolean,
  missing: MissingDefaults | undefined,
): MilliList {
  const list: MilliList = new Map();
  if (status === undefined || !infeasible) addMap(list, container.resources?.requests);
  if (status !== undefined) {
    maxList(list, asList(status.resources?.requests));
    maxList(list, asList(status.allocatedResources));
  }
  if (missing !== undefined) for (const [name, amount] of missing) if (!list.has(name)) list.set(name, amount);
  return list;
}

function asList(map: ResourceMap | undefined): MilliList {
  const list: MilliList = new Map();
  addMap(list, map);
  return list;
}

/**
 * What a pod counts as in resource scores: each container that does not ask for processor or memory is taken to use a little. With
 * pod-level requests only a resource nobody named gets the default.
 */
export function nonZeroRequests(pod: KubeObject, requests: MilliList): MilliList {
  if (!podLevelRequestsSet(pod)) return podRequests(pod, containerDefaults);
  const missing = containerDefaults.filter(([name]) => !requests.has(name));
  return missing.length === 0 ? requests : podRequests(pod, missing);
}
