import { conditionOf, type ClusterState } from '#libs/cluster-state';
import { quantityMilli, type KubeObject } from '#libs/kernel';

/** How much more than its share an endpoint may have to carry. */
const overloadThreshold = 0.2;

/** Shares of the processors of all zones, by zone; undefined: not known well enough to give endpoints to zones. */
export type ZoneShares = ReadonlyMap<string, number>;

/** How many endpoints a zone should have. */
export interface Allocation {
  maximum: number;
  desired: number;
}

const controlPlaneLabels = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Upstream `TopologyCache.SetNodes`: nodes that are ready and no control plane; each has to tell its zone and its processors, and there have to be two zones. */
export function zoneShares(cluster: ClusterState): ZoneShares | undefined {
  const cpu = new Map<string, number>();
  let total = 0;
  for (const node of cluster.table('nodes').objects.values()) {
    const labels = node.metadata.labels ?? {};
    if (controlPlaneLabels.some((label) => label in labels) || conditionOf(node, 'Ready')?.status !== 'True') continue;
    const zone = labels['topology.kubernetes.io/zone'];
    const milli = milliCpu(node);
    if (!zone || milli === 0) return undefined;
    cpu.set(zone, (cpu.get(zone) ?? 0) + milli);
    total += milli;
  }
  if (cpu.size < 2) return undefined;
  return new Map([...cpu].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, milli]) => [zone, milli / total]));
}

function milliCpu(node: KubeObject): number {
  const text = node.status?.allocatable?.cpu as string | undefined;
  return text === undefined ? 0 : quantityMilli(text);
}

/** Upstream `getAllocations`: by zone, or why it cannot be done. */
export function allocationsOf(shares: ZoneShares | undefined, endpoints: number): Map<string, Allocation> | string {
  if (!shares) return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`;
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`;
  const minimums = new Map<string, number>();
  let left = endpoints;
  for (const [zone, share] of shares) {
    const minimum = Math.ceil(share * endpoints * (1 / (1 + overloadThreshold)));
    minimums.set(zone, minimum);
    left -= minimum;
    if (left < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`;
  }
  const allocations = new Map<string, Allocation>();
  for (const [zone, minimum] of minimums) {
    allocations.set(zone, { maximum: minimum + left, desired: Math.max((shares.get(zone) as number) * endpoints, minimum) });
  }
  return allocations;
}

/** Whether a zone has too few of a Service's endpoints for its share (upstream `serviceOverloaded`). */
export function isOverloaded(endpointsByZone: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpointsByZone.size === 0) return false;
  if (!shares) return true;
  const total = [...endpointsByZone.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(([zone, share]) => {
    const count = endpointsByZone.get(zone);
    return count === undefined || count < Math.ceil(total * share * (1 / (1 + overloadThreshold)));
  });
}

/** How many endpoints of its own each zone is to give away, and how many each is to be given (upstream `getGivingAndReceivingZones`). */
export function exchange(
  allocations: ReadonlyMap<string, Allocation>,
  hinted: ReadonlyMap<string, number>,
): { giving: Map<string, number>; receiving: Map<string, number> } {
  const surplus = new Map<string, number>();
  const want = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (hinted.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    else if (difference < 0) want.set(zone, -difference);
  }
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const from = most(surplus);
    const to = most(want);
    if (!from || !to) break;
    const [give, take] = [surplus.get(from) as number, want.get(to) as number];
    if ((give < 1 && take < 1) || give < 0.5 || take < 0.5) break;
    giving.set(from, (giving.get(from) ?? 0) + 1);
    surplus.set(from, give - 1);
    receiving.set(to, (receiving.get(to) ?? 0) + 1);
    want.set(to, take - 1);
  }
  return { giving, receiving };
}

function most(zones: ReadonlyMap<string, number>): string | undefined {
  let found: string | undefined;
  let highest = 0;
  for (const [zone, number] of zones) if (number > highest) [found, highest] = [zone, number];
  return found;
}
