import type { KubeObject } from '#libs/kernel';
import type { Listers } from '../../framework/listers';
import type { NodeInfo } from '../../framework/node-info';
import { compileNodeSelector, nodeSelectorMatches } from '../../framework/selectors';
import type { AllocatedDevice } from './pod-claims';
import { allocationOf } from './pod-claims';

interface DeviceRequest {
  readonly name: string;
  readonly deviceClassName: string;
  readonly count: number;
  readonly takesAll: boolean;
  readonly isAdmin: boolean;
  readonly selectors: readonly string[];
}

interface Device {
  readonly driver: string;
  readonly pool: string;
  readonly name: string;
  /** Attached to one node, so that a claim it is allocated to is bound there. */
  readonly isLocal: boolean;
}

/** What a claim would be given on a node. */
export interface ClaimAllocation {
  readonly claim: KubeObject;
  readonly results: readonly AllocatedDevice[];
  readonly isLocal: boolean;
}

/** A text says what of the claim is not understood or does not exist. */
export function requestsOf(listers: Listers, claim: KubeObject): DeviceRequest[] | string {
  const requests: DeviceRequest[] = [];
  for (const raw of (claim.spec?.devices?.requests ?? []) as Record<string, unknown>[]) {
    const exact = (raw.exactly ?? raw) as Record<string, unknown>;
    const name = String(raw.name);
    const className = exact.deviceClassName as string | undefined;
    if (!className) return `request ${name}: unsupported request type`;
    const deviceClass = listers.table('deviceclasses').get('', className);
    if (deviceClass === undefined) return `request ${name}: device class ${className} does not exist`;
    const expressions = [...celOf(deviceClass.spec?.selectors), ...celOf(exact.selectors)];
    requests.push({
      name,
      deviceClassName: className,
      count: (exact.count as number | undefined) ?? 1,
      takesAll: exact.allocationMode === 'All',
      isAdmin: exact.adminAccess === true,
      selectors: expressions,
    });
  }
  return requests;
}

function celOf(selectors: unknown): string[] {
  return ((selectors ?? []) as { cel?: { expression?: string } }[]).map((selector) => selector.cel?.expression ?? '');
}

const driverEquals = /^\s*device\.driver\s*==\s*(["'])([^"']+)\1\s*$/;

/** Only selection by driver is understood of CEL. */
export function unsupportedSelector(requests: readonly DeviceRequest[]): string | undefined {
  return requests.flatMap((request) => request.selectors).find((expression) => !driverEquals.test(expression));
}

function selects(request: DeviceRequest, device: Device): boolean {
  return request.selectors.every((expression) => driverEquals.exec(expression)?.[2] === device.driver);
}

/** Devices that some claim has already, by `driver/pool/device`; admin access does not take a device. */
export function devicesInUse(listers: Listers): Set<string> {
  const inUse = new Set<string>();
  for (const claim of listers.table('resourceclaims').all()) {
    for (const result of allocationOf(claim)?.devices?.results ?? []) {
      if ((result as { adminAccess?: boolean }).adminAccess !== true) inUse.add(`${result.driver}/${result.pool}/${result.device}`);
    }
  }
  return inUse;
}

function devicesOn(listers: Listers, node: NodeInfo): Device[] {
  const devices: Device[] = [];
  for (const slice of listers.table('resourceslices').all()) {
    const {
      nodeName,
      nodeSelector,
      allNodes,
      driver,
      pool,
      devices: listed = [],
    } = (slice.spec ?? {}) as {
      nodeName?: string;
      nodeSelector?: object;
      allNodes?: boolean;
      driver: string;
      pool?: { name: string };
      devices?: { name: string }[];
    };
    const reaches =
      nodeName === node.name ||
      allNodes === true ||
      (nodeSelector !== undefined && nodeSelectorMatches(compileNodeSelector(nodeSelector), node));
    if (!reaches) continue;
    for (const device of listed) devices.push({ driver, pool: pool?.name ?? '', name: device.name, isLocal: nodeName !== undefined });
  }
  return devices;
}

/** Gives every claim the first free devices that will do; undefined when they do not suffice for all claims. */
export function allocateAll(
  listers: Listers,
  claims: readonly { claim: KubeObject; requests: readonly DeviceRequest[] }[],
  node: NodeInfo,
  inUse: ReadonlySet<string>,
): ClaimAllocation[] | undefined {
  const devices = devicesOn(listers, node);
  const taken = new Set(inUse);
  const allocations: ClaimAllocation[] = [];
  for (const { claim, requests } of claims) {
    const results: AllocatedDevice[] = [];
    let isLocal = false;
    for (const request of requests) {
      const chosen = choose(request, devices, taken);
      if (chosen === undefined) return undefined;
      for (const device of chosen) {
        if (!request.isAdmin) taken.add(keyOf(device));
        isLocal ||= device.isLocal;
        results.push({ request: request.name, driver: device.driver, pool: device.pool, device: device.name });
      }
    }
    allocations.push({ claim, results, isLocal });
  }
  return allocations;
}

function choose(request: DeviceRequest, devices: readonly Device[], taken: ReadonlySet<string>): Device[] | undefined {
  const fitting = devices.filter((device) => selects(request, device));
  const free = request.isAdmin ? fitting : fitting.filter((device) => !taken.has(keyOf(device)));
  if (request.takesAll) return fitting.length > 0 && free.length === fitting.length ? free : undefined;
  return free.length >= request.count ? free.slice(0, request.count) : undefined;
}

function keyOf(device: Device): string {
  return `${device.driver}/${device.pool}/${device.name}`;
}
