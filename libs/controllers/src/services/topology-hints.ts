import type { KubeObject } from '#libs/kernel';
import { isEndpointReady, type Endpoint, type SlicePlan } from './slice';
import type { SliceChanges } from './slice-changes';
import { allocationsOf, exchange, type Allocation, type ZoneShares } from './topology';
import { unchangedPlans, withHints } from './traffic-hints';

/** Whether endpoints are to be given to zones by their processors: an annotation of the Service. */
export function isTopologyAware({ metadata: { annotations = {} } }: KubeObject): boolean {
  const mode = annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

export interface Hinted {
  changes: SliceChanges;
  /** Endpoints by zone; undefined: none has hints. */
  zones?: Map<string, number>;
  /** Why there are no hints. */
  problem?: string;
}

/** Upstream `TopologyCache.AddHints`: each endpoint is for its own zone; then zones with too many give some to zones with too few. */
export function withTopologyHints(changes: SliceChanges, existing: readonly KubeObject[], shares: ZoneShares | undefined): Hinted {
  const without = (problem: string): Hinted => ({ changes: withHints(changes, existing, () => undefined), problem });
  const unchanged = unchangedPlans(existing, changes);
  const all = [...changes.create, ...changes.update, ...unchanged];
  const ready = all.reduce((sum, { endpoints }) => sum + endpoints.filter(isEndpointReady).length, 0);
  const allocations = allocationsOf(shares, ready);
  if (typeof allocations === 'string') return without(allocations);
  const zones = new Map<string, number>();
  const turned = unchanged.filter((plan) => !takesOver(plan, zones, allocations));
  const create = changes.create.map(copyOf);
  const update = [...changes.update, ...turned].map(copyOf);
  const endpoints = [...create, ...update].flatMap((plan) => plan.endpoints).filter(isEndpointReady);
  for (const endpoint of endpoints) {
    if (!endpoint.zone) return without('One or more endpoints do not have a zone specified');
    add(zones, endpoint.zone, 1);
    endpoint.hints = { forZones: [{ name: endpoint.zone }] };
  }
  redistribute(endpoints, allocations, zones);
  if (zones.size === 0) return without('No hints allocated for zones');
  return { changes: { create, update, delete: changes.delete }, zones };
}

function copyOf(plan: SlicePlan): SlicePlan {
  return { ...plan, endpoints: plan.endpoints.map((endpoint) => ({ ...endpoint })) };
}

/** Counts the hints that a slice has; false: they cannot stay (upstream `getHintsByZone`). */
function takesOver({ endpoints }: SlicePlan, zones: Map<string, number>, allocations: ReadonlyMap<string, Allocation>): boolean {
  const found = new Map<string, number>();
  for (const { hints } of endpoints.filter(isEndpointReady)) {
    if (!hints?.forZones?.length) return false;
    for (const { name } of hints.forZones) {
      if (!allocations.has(name)) return false;
      add(found, name, 1);
    }
  }
  for (const [zone, count] of found) {
    if (count + (zones.get(zone) ?? 0) > (allocations.get(zone) as Allocation).maximum) return false;
  }
  for (const [zone, count] of found) add(zones, zone, count);
  return true;
}

function redistribute(endpoints: readonly Endpoint[], allocations: ReadonlyMap<string, Allocation>, zones: Map<string, number>): void {
  const { giving, receiving } = exchange(allocations, zones);
  for (const endpoint of endpoints) {
    const from = endpoint.zone as string;
    const [to] = receiving.keys();
    if (to === undefined) return;
    if (!giving.has(from)) continue;
    endpoint.hints = { forZones: [{ name: to }] };
    for (const [counts, zone] of [
      [giving, from],
      [receiving, to],
    ] as const) {
      add(counts, zone, -1);
      if (counts.get(zone) === 0) counts.delete(zone);
    }
    add(zones, to, 1);
    add(zones, from, -1);
  }
}

function add(counts: Map<string, number>, zone: string, by: number): void {
  counts.set(zone, (counts.get(zone) ?? 0) + by);
}
