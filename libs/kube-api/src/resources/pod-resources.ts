import type { JsonObject, KubeObject } from '#libs/kernel';
import { addTo, raiseTo, readList, type ResourceList } from './resource-list';

interface Container {
  name: string;
  restartPolicy?: string;
  resources?: { requests?: JsonObject; limits?: JsonObject };
}

interface ContainerStatus {
  name: string;
  resources?: { requests?: JsonObject; limits?: JsonObject };
  allocatedResources?: JsonObject;
}

export type Side = 'requests' | 'limits';

/** What of a pod counts beside what its containers ask for. */
export interface PodResourcesOptions {
  /** A container that is being resized counts with the most of what it asks for, was allocated and runs with. */
  countsStatus?: boolean;
  /** What the pod costs its node whatever it runs. */
  countsOverhead?: boolean;
  /** Whether an amount that is given for the whole pod replaces the sum of its containers. */
  isPodLevel(name: string): boolean;
}

/** Given for the whole pod, these count instead of the containers' (upstream `IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

/** Whether amounts are given for the whole pod. */
export function hasPodLevelResources(pod: KubeObject): boolean {
  const { requests, limits } = (pod.spec?.resources ?? {}) as NonNullable<Container['resources']>;
  return [requests, limits].some((list) => Object.keys(list ?? {}).some(isPodLevelResource));
}

/**
 * What the pod asks for, or may use: all containers and sidecars together, or the peak of the containers that run before them if that is
 * more; amounts given for the whole pod count instead (component-helpers `PodRequests` and `PodLimits`).
 */
export function podResources(pod: KubeObject, side: Side, options: PodResourcesOptions): ResourceList {
  const statuses = options.countsStatus ? statusesOf(pod) : undefined;
  const isInfeasible = statuses !== undefined && isResizeInfeasible(pod);
  const own = (container: Container, hasStatus: boolean): ResourceList =>
    ofContainer(container, side, hasStatus ? statuses?.get(container.name) : undefined, isInfeasible);
  const total: ResourceList = new Map();
  for (const container of containersOf(pod, 'containers')) addTo(total, own(container, true));
  const sidecars: ResourceList = new Map();
  const peak: ResourceList = new Map();
  for (const container of containersOf(pod, 'initContainers')) {
    const isSidecar = container.restartPolicy === 'Always';
    const asked = own(container, isSidecar);
    if (isSidecar) {
      addTo(total, asked);
      addTo(sidecars, asked);
      raiseTo(peak, sidecars);
    } else {
      addTo(asked, sidecars);
      raiseTo(peak, asked);
    }
  }
  raiseTo(total, peak);
  const whole = (pod.spec?.resources as Container['resources'])?.[side];
  for (const [name, amount] of readList(whole)) if (options.isPodLevel(name)) total.set(name, amount);
  if (options.countsOverhead) addOverhead(total, readList(pod.spec?.overhead), side);
  return total;
}

/** An unlimited resource stays unlimited. */
function addOverhead(total: ResourceList, overhead: ResourceList, side: Side): void {
  for (const entry of overhead) if (side === 'requests' || (total.get(entry[0])?.nano ?? 0n) !== 0n) addTo(total, new Map([entry]));
}

export function containersOf(pod: KubeObject, field: 'containers' | 'initContainers'): readonly Container[] {
  return (pod.spec?.[field] ?? []) as readonly Container[];
}

function ofContainer(container: Container, side: Side, status: ContainerStatus | undefined, isInfeasible: boolean): ResourceList {
  const asked = readList(container.resources?.[side]);
  if (!status?.resources) return asked;
  const counted: ResourceList = isInfeasible ? new Map() : asked;
  raiseTo(counted, readList(status.resources[side]));
  if (side === 'requests') raiseTo(counted, readList(status.allocatedResources));
  return counted;
}

function statusesOf({ status }: KubeObject): Map<string, ContainerStatus> {
  const all = [
    ...((status?.containerStatuses ?? []) as ContainerStatus[]),
    ...((status?.initContainerStatuses ?? []) as ContainerStatus[]),
  ];
  return new Map(all.map((each) => [each.name, each]));
}

function isResizeInfeasible({ status }: KubeObject): boolean {
  const conditions = (status?.conditions ?? []) as { type: string; reason?: string }[];
  return conditions.find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
}
