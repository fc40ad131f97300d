import type { ClusterState, FoldedAppend, ObjectChange } from '#libs/cluster-state';
import { causeOf, type Cause } from '#libs/control-loop';
import { jsonEqual, parseTime, type KubeObject, type ObjectKey } from '#libs/kernel';
import { notReady, unreachable } from '../lifecycle/node-conditions';
import { podsOnNode } from '../pods-on-node';
import { noExecuteTaints, rescheduled, type ScheduledEviction } from './evictions';

/** Which pods are to leave, and when. All of it follows from the log. */
export interface EvictionIndex {
  /** By the pod's key. */
  readonly evictions: Map<ObjectKey, ScheduledEviction>;
  /** Evictions that were called off, and nobody has been told: the pod as it was. */
  readonly cancelled: Map<ObjectKey, KubeObject>;
}

/** Time goes on where a controller that stopped left it, as far as its taints say when they came. */
export function evictionIndex(cluster: ClusterState, now: number): EvictionIndex {
  const index: EvictionIndex = { evictions: new Map(), cancelled: new Map() };
  for (const node of cluster.table('nodes').objects.values()) {
    const taints = noExecuteTaints(node);
    if (taints.length === 0) continue;
    const own = taints.filter(({ key }) => key === notReady || key === unreachable);
    const since = own.length === taints.length ? Math.min(now, ...own.map(({ timeAdded }) => parseTime(timeAdded) ?? now)) : now;
    for (const [key, pod] of cluster.indices.podsOnNode(node.metadata.name)) schedule(index, key, pod, node, since, undefined);
  }
  return index;
}

/** Takes an append in, and names the pods to be looked at for it. */
export function* followTaints(index: EvictionIndex, append: FoldedAppend, cluster: ClusterState): Iterable<ObjectKey> {
  const { change } = append;
  if (change?.resource === 'nodes') yield* followNode(index, append, change, cluster);
  else if (change?.resource === 'pods') yield* followPod(index, append, change, cluster);
}

function* followNode(index: EvictionIndex, append: FoldedAppend, change: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  const { object, before, name, type } = change;
  // Pods on a node that is gone are collected; an eviction that was to come still comes.
  if (type === 'DELETED' || object.spec?.taints === before?.spec?.taints) return;
  if (before && jsonEqual(noExecuteTaints(before), noExecuteTaints(object))) return;
  const cause = causeOf(append);
  for (const [key, pod] of podsOnNode(cluster, name)) if (schedule(index, key, pod, object, append.time, cause)) yield key;
}

function* followPod(index: EvictionIndex, append: FoldedAppend, change: ObjectChange, cluster: ClusterState): Iterable<ObjectKey> {
  const { object, before, key, type } = change;
  const old = index.evictions.get(key);
  if (type === 'DELETED') {
    if (old) yield* dropped(index, key, object);
    return;
  }
  if (old?.isFired && object.metadata.deletionTimestamp) index.evictions.delete(key);
  const node = object.spec?.nodeName as string | undefined;
  if (!node || (before?.spec?.nodeName === node && jsonEqual(before.spec?.tolerations, object.spec?.tolerations))) return;
  const tainted = cluster.get('nodes', undefined, node);
  if (tainted && noExecuteTaints(tainted).length > 0 && schedule(index, key, object, tainted, append.time, causeOf(append))) yield key;
}

/** The pod has gone before its time. */
function* dropped(index: EvictionIndex, key: ObjectKey, pod: KubeObject): Iterable<ObjectKey> {
  const isAhead = !index.evictions.get(key)?.isFired;
  index.evictions.delete(key);
  if (!isAhead) return;
  index.cancelled.set(key, pod);
  yield key;
}

/** @returns whether the pod is to be looked at */
function schedule(index: EvictionIndex, key: ObjectKey, pod: KubeObject, node: KubeObject, now: number, cause: Cause | undefined): boolean {
  const present = index.evictions.get(key);
  const old = present?.isFired ? undefined : present;
  const taints = noExecuteTaints(node);
  const { eviction, isCancelled } =
    taints.length === 0 ? { eviction: undefined, isCancelled: old !== undefined } : rescheduled(pod, taints, old, now, cause);
  if (eviction) index.evictions.set(key, eviction);
  else index.evictions.delete(key);
  if (isCancelled) index.cancelled.set(key, pod);
  return isCancelled || eviction !== old;
}
