import type { ClusterState } from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import type { LifecycleIndex } from './lifecycle-index';
import { hasOwnNoExecute, withFirstNoExecute, withoutOwnNoExecute } from './no-execute-taints';
import { readiness } from './node-conditions';
import { taintsOf, withTaints } from './no-schedule-taints';
import { nodeStep } from './reconcile-node';
import type { NodeLifecycleSettings } from './settings';
import { lapsesAt } from './silence';
import { afterTaint, isExcluded, zoneOf, zonesAfter, type ZoneCount, type ZonePass, type Zones } from './zones';

/** Upstream gives NoExecute taints in passes of their own, which come this much later, ms. */
const taintingMs = 100;

/** What the index is told of a look at the zones. */
export interface ZonesLooked {
  zones: Zones;
  hasCounted: boolean;
  graceFrom: number;
}

/** Counts the zones when a pass is due, and gives nodes that are not ready their NoExecute taints at the rate of their zone. */
export function reconcileZones(
  cluster: ClusterState,
  index: LifecycleIndex,
  settings: NodeLifecycleSettings,
  now: number,
): Reconciliation | undefined {
  const hasCounted = index.countAt !== undefined && index.countAt <= now;
  const pass: ZonePass = hasCounted
    ? zonesAfter(index.zones, counted(cluster, index, settings, now), settings, now)
    : { zones: index.zones };
  const graceFrom = pass.resumes ? now : index.graceFrom;
  const { steps, zones, wakeAt, cause } = pass.stops
    ? { steps: lifted(cluster), zones: pass.zones, wakeAt: undefined, cause: undefined }
    : tainted(cluster, index, pass.zones, now);
  const memory: ZonesLooked = { zones, hasCounted, graceFrom };
  const wakes = [wakeAt, hasCounted ? undefined : index.countAt].filter((at) => at !== undefined);
  const woken = wakes.length > 0 ? { wakeAt: Math.min(...wakes) } : {};
  return { ...(cause ? { cause } : {}), steps, memory, ...woken };
}

/** Nodes whose silence has lasted too long count before they are written so. */
function counted(
  cluster: ClusterState,
  index: LifecycleIndex,
  settings: NodeLifecycleSettings,
  now: number,
): ReadonlyMap<string, ZoneCount> {
  const counts = new Map<string, ZoneCount>();
  for (const node of cluster.table('nodes').objects.values()) {
    if (isExcluded(node)) continue;
    const zone = zoneOf(node);
    let count = counts.get(zone);
    if (!count) counts.set(zone, (count = { ready: 0, notReady: 0 }));
    const isReady = readiness(node) === 'True' && !((lapsesAt(cluster, node, index, settings) ?? Infinity) <= now);
    count[isReady ? 'ready' : 'notReady']++;
  }
  return counts;
}

/** All nodes are silent: none is held to it. */
function lifted(cluster: ClusterState): Step[] {
  const nodes = [...cluster.table('nodes').objects.values()].filter(hasOwnNoExecute);
  return nodes.map((node) => nodeStep(`lift/${node.metadata.name}`, node, withTaints(node, withoutOwnNoExecute(taintsOf(node)))));
}

function tainted(
  cluster: ClusterState,
  index: LifecycleIndex,
  before: Zones,
  now: number,
): { steps: Step[]; zones: Zones; wakeAt?: number; cause?: Reconciliation['cause'] } {
  const steps: Step[] = [];
  const zones = new Map(before);
  let cause: Reconciliation['cause'];
  let wakeAt = Infinity;
  for (const { node, pass } of awaiting(cluster, index)) {
    const zone = zones.get(zoneOf(node));
    if (!zone || zone.rate === 0) continue;
    const at = Math.max(pass + taintingMs, zone.freeAt);
    if (at > now) {
      wakeAt = Math.min(wakeAt, at);
      continue;
    }
    zones.set(zoneOf(node), afterTaint(zone, now));
    cause ??= index.awaiting.get(node.metadata.name);
    steps.push(nodeStep(`evict/${node.metadata.name}`, node, withTaints(node, withFirstNoExecute(node, now))));
  }
  return { steps, zones, ...(wakeAt < Infinity ? { wakeAt } : {}), ...(cause ? { cause } : {}) };
}

/** Who waits longest comes first. */
function awaiting(cluster: ClusterState, index: LifecycleIndex): { node: KubeObject; pass: number }[] {
  const found: { node: KubeObject; pass: number }[] = [];
  for (const name of index.awaiting.keys()) {
    const node = cluster.get('nodes', undefined, name);
    if (node) found.push({ node, pass: index.passOf.get(name) ?? 0 });
  }
  return found.sort((a, b) => a.pass - b.pass || (a.node.metadata.name < b.node.metadata.name ? -1 : 1));
}
