import { formatQuantity, isObject, parseQuantity } from '#libs/kernel';
import type { Json, JsonObject } from '#libs/kernel';
import { setOwn } from '../decode';
import { listIn, objectIn } from './draft';

const milli = 1_000_000n;

/** Quantities finer than a thousandth are rounded up to it (upstream `SetDefaults_ResourceList`). */
export function roundResourceList(list: Json | undefined): void {
  if (!isObject(list)) return;
  for (const key of Object.keys(list)) {
    const quantity = parseQuantity(list[key]);
    if (!quantity || quantity.nano % milli === 0n) continue;
    const up = quantity.nano > 0n ? 1n : -1n;
    setOwn(list, key, formatQuantity({ nano: (quantity.nano / milli + up) * milli, format: quantity.format }));
  }
}

export function roundRequirements(resources: Json | undefined): void {
  if (!isObject(resources)) return;
  roundResourceList(resources['limits']);
  roundResourceList(resources['requests']);
}

/** A request that is not given is the limit: pods only, not templates (upstream `SetDefaults_Pod`). */
export function requestsFromLimits(container: JsonObject): void {
  const resources = objectIn(container, 'resources');
  const limits = resources && objectIn(resources, 'limits');
  if (!resources || !limits) return;
  const requests = objectIn(resources, 'requests') ?? {};
  for (const key of Object.keys(limits)) if (!Object.hasOwn(requests, key)) setOwn(requests, key, limits[key]);
  resources['requests'] = requests;
}

const isHugePage = (name: string): boolean => name.startsWith('hugepages-');
const isPodLevel = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePage(name);

/** A resource of the whole pod, as its containers make it: sidecars run beside all, plain init containers one by one. */
function aggregate(spec: JsonObject, kind: 'requests' | 'limits', name: string): string | undefined {
  const amountOf = (container: JsonObject): bigint | undefined => {
    const resources = objectIn(container, 'resources');
    const list = resources && objectIn(resources, kind);
    return list && Object.hasOwn(list, name) ? parseQuantity(list[name])?.nano : undefined;
  };
  let sum = 0n;
  let sidecars = 0n;
  let peak = 0n;
  let found = false;
  for (const container of listIn(spec, 'containers')) {
    const amount = amountOf(container);
    found ||= amount !== undefined;
    sum += amount ?? 0n;
  }
  for (const container of listIn(spec, 'initContainers')) {
    const amount = amountOf(container);
    found ||= amount !== undefined;
    if (container['restartPolicy'] === 'Always') sidecars += amount ?? 0n;
    const during = container['restartPolicy'] === 'Always' ? sidecars : sidecars + (amount ?? 0n);
    if (during > peak) peak = during;
  }
  if (!found) return undefined;
  const total = sum + sidecars > peak ? sum + sidecars : peak;
  return formatQuantity({ nano: total, format: name === 'cpu' ? 'DecimalSI' : 'BinarySI' });
}

function namesIn(spec: JsonObject, kind: 'requests' | 'limits'): string[] {
  const names = new Set<string>();
  for (const container of [...listIn(spec, 'containers'), ...listIn(spec, 'initContainers')]) {
    const resources = objectIn(container, 'resources');
    for (const name of Object.keys((resources && objectIn(resources, kind)) ?? {})) if (isPodLevel(name)) names.add(name);
  }
  return [...names];
}

/** Resources of the pod as a whole, where it gives some: what is missing follows from its containers, then from its limits. */
export function defaultPodLevelResources(spec: JsonObject): void {
  const resources = objectIn(spec, 'resources');
  if (!resources) return;
  const limits = objectIn(resources, 'limits') ?? {};
  for (const name of namesIn(spec, 'limits')) {
    if (isHugePage(name) && !Object.hasOwn(limits, name)) limits[name] = aggregate(spec, 'limits', name);
  }
  if (Object.keys(limits).length === 0) return;
  resources['limits'] = limits;
  const requests = objectIn(resources, 'requests') ?? {};
  for (const name of namesIn(spec, 'requests')) {
    if (!isHugePage(name) && !Object.hasOwn(requests, name)) requests[name] = aggregate(spec, 'requests', name);
  }
  for (const name of Object.keys(limits)) if (isPodLevel(name) && !Object.hasOwn(requests, name)) requests[name] = limits[name];
  if (Object.keys(requests).length > 0) resources['requests'] = requests;
}
