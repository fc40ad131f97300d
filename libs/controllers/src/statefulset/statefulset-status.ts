import { isReady } from '#libs/cluster-state';
import type { JsonObject, KubeObject } from '#libs/kernel';
import { availableAt } from '../replicaset/pod-state';
import { podRevision, replicasOf } from './identity';
import type { Revisions } from './pod-of-set';

export interface StatefulSetStatus extends JsonObject {
  observedGeneration?: number;
  replicas: number;
  readyReplicas: number;
  currentReplicas: number;
  updatedReplicas: number;
  availableReplicas: number;
  currentRevision: string;
  updateRevision: string;
  collisionCount: number;
}

export function minReadySecondsOf(set: KubeObject): number {
  return (set.spec?.minReadySeconds as number | undefined) ?? 0;
}

export function isRunningAndReady(pod: KubeObject): boolean {
  return pod.status?.phase === 'Running' && isReady(pod);
}

export function isAvailable(pod: KubeObject, minReadySeconds: number, now: number): boolean {
  const at = availableAt(pod, minReadySeconds);
  return at !== undefined && at <= now;
}

/** The counts of a set's pods (upstream `updateStatus`). */
export function countPods(
  set: KubeObject,
  pods: readonly KubeObject[],
  { current, update }: Revisions,
  { collisions, now }: { collisions: number; now: number },
): StatefulSetStatus {
  const standing = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const ready = pods.filter(isRunningAndReady);
  const of = (name: string): number => standing.filter((pod) => podRevision(pod) === name).length;
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySecondsOf(set), now)).length,
    currentReplicas: of(current.metadata.name),
    updatedReplicas: of(update.metadata.name),
    currentRevision: current.metadata.name,
    updateRevision: update.metadata.name,
    collisionCount: collisions,
  };
}

/** Once every pod is of the update revision and ready, that is the current one (upstream `completeRollingUpdate`). */
export function withCompletedUpdate(set: KubeObject, status: StatefulSetStatus): StatefulSetStatus {
  const { type } = (set.spec?.updateStrategy ?? {}) as { type?: string };
  const { updatedReplicas, readyReplicas, replicas, updateRevision } = status;
  const wanted = replicasOf(set);
  const isComplete = type === 'RollingUpdate' && updatedReplicas === wanted && readyReplicas === wanted && replicas === wanted;
  return isComplete ? { ...status, currentReplicas: updatedReplicas, currentRevision: updateRevision } : status;
}

const omittedAtZero: ReadonlySet<string> = new Set(['readyReplicas', 'currentReplicas', 'updatedReplicas', 'observedGeneration']);

/** As it is written: what is zero is left out of most. */
export function writtenStatus(status: StatefulSetStatus): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([field, value]) => !(omittedAtZero.has(field) && !value))) as JsonObject;
}

/** Whether what is written says something else than what stands there. Collisions alone are not written. */
export function isOutdated(before: JsonObject | undefined, after: StatefulSetStatus): boolean {
  const { collisionCount: _, observedGeneration = 0, ...counts } = after;
  if (observedGeneration > ((before?.observedGeneration as number | undefined) ?? 0)) return true;
  return Object.entries(counts).some(([field, value]) => (before?.[field] ?? (typeof value === 'number' ? 0 : '')) !== value);
}
