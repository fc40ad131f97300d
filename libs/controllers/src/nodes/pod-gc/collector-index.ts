import { isTerminal, type ClusterState, type FoldedAppend, type ObjectChange } from '#libs/cluster-state';
import type { KubeObject, ObjectKey } from '#libs/kernel';
import { readiness } from '../lifecycle/node-conditions';
import { taintsOf } from '../lifecycle/no-schedule-taints';

/** Upstream looks at everything every 20 s. Here these looks are at whole multiples of it, and only at what there is to collect, ms. */
const lookMs = 20_000;
/** How long a node must be away before its pods are collected, ms. */
const quarantineMs = 40_000;

/** The taint by which an operator says that a node will not come back. */
const outOfService = 'node.kubernetes.io/out-of-service';

/** What there is to collect. All of it follows from the log. */
export interface CollectorIndex {
  /** Nodes that pods are bound to and that are not there: the look that collects from them, ms. */
  readonly absent: Map<string, number>;
  /** Nodes that are out of service: the look that collects from them, ms. */
  readonly outOfService: Map<string, number>;
  /** Pods without a node whose deletion nobody will finish: the look that does, ms. */
  readonly unscheduled: Map<ObjectKey, number>;
  readonly ended: Set<ObjectKey>;
  /** The look that collects what has ended and is too much, ms; undefined: there is not. */
  endedAt?: number;
}

export const controllerName = 'pod-garbage-collector';
export const allEnded = 'ended pods';
export const nodeSubject = (name: string): string => `node ${name}`;
export const outSubject = (name: string): string => `out-of-service ${name}`;
export const podSubject = (key: ObjectKey): string => `pod ${key}`;

function lookFrom(time: number): number {
  return Math.ceil(time / lookMs) * lookMs;
}

export function collectorIndex(cluster: ClusterState, threshold: number, now: number): CollectorIndex {
  const index: CollectorIndex = { absent: new Map(), outOfService: new Map(), unscheduled: new Map(), ended: new Set() };
  for (const node of cluster.table('nodes').objects.values())
    if (isOutOfService(node)) index.outOfService.set(node.metadata.name, lookFrom(now));
  for (const [key, pod] of cluster.table('pods').objects) {
    noteAbsent(index, cluster, pod, now);
    if (isUnscheduledAndGoing(pod)) index.unscheduled.set(key, lookFrom(now));
    if (isTerminal(pod)) index.ended.add(key);
  }
  noteEnded(index, threshold, now);
  return index;
}

/** Takes an append in, and names what is to be looked at for it. */
export function* followPods(index: CollectorIndex, append: FoldedAppend, cluster: ClusterState, threshold: number): Iterable<string> {
  const { change, time, events } = append;
  if (change?.resource === 'nodes') yield* followNode(index, change, time, cluster);
  else if (change?.resource === 'pods') {
    yield* followPod(index, change, time, cluster, threshold);
    const isOwn = events[0]?.metadata.actor === controllerName;
    yield* followGoing(index, change, isOwn ? 0 : lookFrom(time));
  }
}

function* followNode(index: CollectorIndex, { object, name, type }: ObjectChange, time: number, cluster: ClusterState): Iterable<string> {
  if (type === 'DELETED') {
    index.outOfService.delete(name);
    if (cluster.indices.podsOnNode(name).size === 0) return;
    index.absent.set(name, lookFrom(time) + quarantineMs);
    yield nodeSubject(name);
    return;
  }
  index.absent.delete(name);
  if (!isOutOfService(object)) index.outOfService.delete(name);
  else if (!index.outOfService.has(name)) {
    index.outOfService.set(name, lookFrom(time));
    yield outSubject(name);
  }
}

function* followPod(index: CollectorIndex, change: ObjectChange, time: number, cluster: ClusterState, threshold: number): Iterable<string> {
  const { object, before, key, type } = change;
  if (type === 'DELETED') {
    index.ended.delete(key);
    index.unscheduled.delete(key);
    return;
  }
  if (isTerminal(object)) {
    index.ended.add(key);
    if (noteEnded(index, threshold, time)) yield allEnded;
  }
  const node = object.spec?.nodeName as string | undefined;
  if (!node) {
    if (!isUnscheduledAndGoing(object)) index.unscheduled.delete(key);
    else if (!index.unscheduled.has(key)) {
      index.unscheduled.set(key, lookFrom(time));
      yield podSubject(key);
    }
    return;
  }
  if (node !== before?.spec?.nodeName) noteAbsent(index, cluster, object, time);
  if (index.absent.has(node)) yield nodeSubject(node);
}

/** @param look the next one; 0: what this controller does belongs to the same look */
function* followGoing(index: CollectorIndex, { object, type }: ObjectChange, look: number): Iterable<string> {
  const node = object.spec?.nodeName as string | undefined;
  const at = node === undefined ? undefined : index.outOfService.get(node);
  if (node === undefined || at === undefined || type === 'DELETED' || !object.metadata.deletionTimestamp) return;
  index.outOfService.set(node, Math.max(at, look));
  yield outSubject(node);
}

function noteAbsent(index: CollectorIndex, cluster: ClusterState, pod: KubeObject, time: number): void {
  const node = pod.spec?.nodeName as string | undefined;
  if (node && !index.absent.has(node) && !cluster.get('nodes', undefined, node)) index.absent.set(node, lookFrom(time) + quarantineMs);
}

/** @returns whether a look has become due by it */
export function noteEnded(index: CollectorIndex, threshold: number, time: number): boolean {
  if (threshold === 0 || index.ended.size <= threshold || index.endedAt !== undefined) return false;
  index.endedAt = lookFrom(time);
  return true;
}

/** Never bound, deletion asked for, and still there: a finalizer holds it, and no kubelet will ever say that it ended. */
function isUnscheduledAndGoing(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName && !isTerminal(pod);
}

function isOutOfService(node: KubeObject): boolean {
  return readiness(node) !== 'True' && taintsOf(node).some(({ key }) => key === outOfService);
}
