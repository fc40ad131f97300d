import { quantityMilli, quantityValue } from '#libs/kernel';
import type { ResourceMap } from './kube-types';

/**
 * Amounts as the scheduler counts them: processor in thousandths, the rest in whole units (bytes, devices), each rounded up.
 * All are exact integers below 2^53.
 */
export interface Resource {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  /** Node allocatable only: `pods`. */
  allowedPodCount: number;
  /** Extended resources, huge pages and the like; undefined when there are none. */
  scalars: Map<string, number> | undefined;
}

export const defaultMilliCpuRequest = 100;
export const defaultMemoryRequest = 200 * 1024 * 1024;

export function emptyResource(): Resource {
  return { milliCpu: 0, memory: 0, ephemeralStorage: 0, allowedPodCount: 0, scalars: undefined };
}

/** Names with a slash, huge pages and attachable volumes; other names that are not built in are ignored by scheduling. */
export function isScalarResource(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-') || name.startsWith('attachable-volumes-');
}

/** Extended: qualified with a domain that is not Kubernetes' own. */
export function isExtendedResource(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/') && !name.startsWith('requests.');
}

/** A resource list in thousandths of each unit, so that sums are rounded once, at the end. */
export type MilliList = Map<string, number>;

/** Adds quantities as objects have them (`cpu: 500m`) to sums in thousandths. */
export function addMap(into: MilliList, map: ResourceMap | undefined): void {
  if (map === undefined) return;
  for (const name of Object.keys(map)) into.set(name, (into.get(name) ?? 0) + quantityMilli(map[name]));
}

/** Adds sums in thousandths to others. */
export function addList(into: MilliList, list: MilliList): void {
  for (const [name, amount] of list) into.set(name, (into.get(name) ?? 0) + amount);
}

/** Raises each sum to the larger of the two. */
export function maxList(into: MilliList, list: MilliList): void {
  for (const [name, amount] of list) {
    const known = into.get(name);
    if (known === undefined || amount > known) into.set(name, amount);
  }
}

/** The amount of one resource in the unit scheduling counts it in. */
export function amountOf(list: MilliList, name: string): number {
  const milli = list.get(name) ?? 0;
  return name === 'cpu' ? milli : Math.ceil(milli / 1000);
}

/** Sums in thousandths as whole units, each rounded up once. */
export function resourceFromList(list: MilliList): Resource {
  const resource = emptyResource();
  for (const name of list.keys()) assignAmount(resource, name, amountOf(list, name));
  return resource;
}

/** A node's allocatable. */
export function resourceFromMap(map: ResourceMap | undefined): Resource {
  const resource = emptyResource();
  if (map === undefined) return resource;
  for (const name of Object.keys(map)) assignAmount(resource, name, name === 'cpu' ? quantityMilli(map[name]) : quantityValue(map[name]));
  return resource;
}

function assignAmount(resource: Resource, name: string, amount: number): void {
  switch (name) {
    case 'cpu':
      resource.milliCpu = amount;
      break;
    case 'memory':
      resource.memory = amount;
      break;
    case 'ephemeral-storage':
      resource.ephemeralStorage = amount;
      break;
    case 'pods':
      resource.allowedPodCount = amount;
      break;
    default:
      if (isScalarResource(name)) (resource.scalars ??= new Map()).set(name, amount);
  }
}

/** Adds `sign` times the amounts; pod counts are kept elsewhere. */
export function accumulate(into: Resource, amounts: Resource, sign: 1 | -1): void {
  into.milliCpu += sign * amounts.milliCpu;
  into.memory += sign * amounts.memory;
  into.ephemeralStorage += sign * amounts.ephemeralStorage;
  if (amounts.scalars === undefined) return;
  into.scalars ??= new Map();
  for (const [name, amount] of amounts.scalars) into.scalars.set(name, (into.scalars.get(name) ?? 0) + sign * amount);
}

export function copyResource(resource: Resource): Resource {
  return { ...resource, scalars: resource.scalars && new Map(resource.scalars) };
}

/** Amount by resource name; 0 when the resource is unknown. */
export function amountIn(resource: Resource, name: string): number {
  switch (name) {
    case 'cpu':
      return resource.milliCpu;
    case 'memory':
      return resource.memory;
    case 'ephemeral-storage':
      return resource.ephemeralStorage;
    default:
      return resource.scalars?.get(name) ?? 0;
  }
}
