import { conditionOf, hasKubelet, nodeRecordTypes, type ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import { causeOf, type Cause } from '#libs/control-loop';
import { parseTime, type KubeObject } from '#libs/kernel';
import { awaitsNoExecute, hasOwnNoExecute } from './no-execute-taints';
import { readiness } from './node-conditions';
import { passFrom, passUpTo } from './settings';
import { leaseNamespace, leaseResource } from './silence';
import { isExcluded, zoneOf, type Zones } from './zones';

export const controllerName = 'node-lifecycle-controller';

/** The subject that stands for all zones; no node has such a name. */
export const allZones = 'all zones';
const removedPrefix = 'removed ';
/** A simulated kubelet speaks of a new node at once; so long is waited for it, where there may be none. */
const registrationMs = 300;

/** A node that is gone, of which nobody has been told yet. */
export interface RemovedNode {
  node: KubeObject;
  /** The pass that tells it, ms. */
  at: number;
}

/** Where the passes of the controller stand. All of it follows from the log. */
export interface LifecycleIndex {
  /** The pass that takes up what became of a node's readiness, ms. */
  readonly passOf: Map<string, number>;
  /** Nodes that are to be given a NoExecute taint, and what led to it. */
  readonly awaiting: Map<string, Cause | undefined>;
  /** When kubelets that are not simulated were last heard, ms. */
  readonly others: Map<string, number>;
  readonly removed: Map<string, RemovedNode>;
  /** Until when nodes that are new are left to the kubelet that may register itself, ms. */
  readonly newcomers: Map<string, number>;
  /** The pass that is to count the nodes of the zones, ms; undefined: none is. */
  countAt?: number;
  zones: Zones;
  /** Before this no silence counts, ms. */
  graceFrom: number;
}

export function lifecycleIndex(cluster: ClusterState, now: number): LifecycleIndex {
  const nodes = [...cluster.table('nodes').objects.values()];
  const index: LifecycleIndex = {
    passOf: new Map(),
    awaiting: new Map(),
    others: new Map(),
    removed: new Map(),
    newcomers: new Map(),
    zones: new Map(),
    graceFrom: 0,
  };
  if (nodes.length > 0) index.countAt = passFrom(now);
  for (const node of nodes) {
    const { name } = node.metadata;
    if (awaitsNoExecute(node)) index.awaiting.set(name, undefined);
    if (readiness(node) !== 'True' || hasOwnNoExecute(node)) index.passOf.set(name, passFrom(now));
    if (!hasKubelet(node)) index.others.set(name, firstHeard(node, now));
  }
  return index;
}

/** Takes an append in, and names what is to be looked at for it. */
export function* followNodes(index: LifecycleIndex, append: FoldedAppend, cluster: ClusterState): Iterable<string> {
  const { change, events, time } = append;
  if (!change) {
    for (const { type, data } of events) if (nodeRecordTypes.has(type)) yield data.node as string;
  } else if (change.resource === 'nodes') {
    yield* followNode(index, append, change);
  } else if (change.resource === 'pods') {
    const node = change.object.spec?.nodeName as string | undefined;
    if (node && change.type !== 'DELETED' && node !== change.before?.spec?.nodeName && isUnknown(cluster, node)) yield node;
  } else if (change.resource === leaseResource && change.namespace === leaseNamespace) {
    yield* followLease(index, change, time, cluster);
  }
}

function* followNode(index: LifecycleIndex, append: FoldedAppend, change: ObjectChange): Iterable<string> {
  const { name, object, before, type } = change;
  if (type === 'DELETED') {
    index.passOf.delete(name);
    index.awaiting.delete(name);
    index.others.delete(name);
    index.newcomers.delete(name);
    index.removed.set(name, { node: object, at: passFrom(append.time) });
    yield removedSubject(name);
    yield* countZones(index, passFrom(append.time));
    return;
  }
  index.removed.delete(name);
  if (type === 'ADDED') index.newcomers.set(name, append.time + registrationMs);
  if (readiness(object) !== undefined) index.newcomers.delete(name);
  // What this controller wrote itself belongs to the pass in which it did.
  const pass = append.events[0]?.metadata.actor === controllerName ? passUpTo(append.time) : passFrom(append.time);
  if (awaitsNoExecute(object)) {
    if (!index.awaiting.has(name)) index.awaiting.set(name, causeOf(append));
  } else index.awaiting.delete(name);
  const hasTurned = !before || readiness(before) !== readiness(object);
  if (hasTurned) index.passOf.set(name, pass);
  if (hasKubelet(object)) index.others.delete(name);
  else if (!index.others.has(name)) index.others.set(name, firstHeard(object, append.time));
  else if (hasHeartbeat(before, object)) index.others.set(name, append.time);
  yield name;
  if (!before || hasTurned || zoneOf(before) !== zoneOf(object) || isExcluded(before) !== isExcluded(object))
    yield* countZones(index, pass);
  else if (index.awaiting.has(name) && hasOwnNoExecute(before)) yield allZones;
}

function* countZones(index: LifecycleIndex, pass: number): Iterable<string> {
  index.countAt = Math.min(index.countAt ?? Infinity, pass);
  yield allZones;
}

/** A node without a simulated kubelet is taken up: one that has posted no readiness is held to its creation. */
function firstHeard(node: KubeObject, now: number): number {
  return readiness(node) === undefined ? (parseTime(node.metadata.creationTimestamp) ?? now) : now;
}

/** A kubelet that is not simulated has renewed its Lease. */
function* followLease(
  index: LifecycleIndex,
  { name, type, object, before }: ObjectChange,
  time: number,
  cluster: ClusterState,
): Iterable<string> {
  const node = cluster.get('nodes', undefined, name);
  if (!node || hasKubelet(node) || type === 'DELETED') return;
  const renewed = parseTime(object.spec?.renewTime as string | undefined) ?? 0;
  if (before && renewed <= (parseTime(before.spec?.renewTime as string | undefined) ?? 0)) return;
  index.others.set(name, time);
  if (!before) yield name;
}

function hasHeartbeat(before: KubeObject | undefined, node: KubeObject): boolean {
  return before === undefined || conditionOf(before, 'Ready')?.lastHeartbeatTime !== conditionOf(node, 'Ready')?.lastHeartbeatTime;
}

function isUnknown(cluster: ClusterState, name: string): boolean {
  const node = cluster.get('nodes', undefined, name);
  return node !== undefined && readiness(node) === 'Unknown';
}

function removedSubject(name: string): string {
  return `${removedPrefix}${name}`;
}

/** The name of the removed node that a subject stands for. */
export function removedName(subject: string): string | undefined {
  return subject.startsWith(removedPrefix) ? subject.slice(removedPrefix.length) : undefined;
}
