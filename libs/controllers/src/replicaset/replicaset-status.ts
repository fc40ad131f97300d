import { isReady } from '#libs/cluster-state';
import { formatTime, type KubeObject } from '#libs/kernel';
import { availableAt } from './pod-state';

export interface ReplicaSetCondition {
  type: string;
  status: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** Counts that are 0 are left out, but for `replicas`; as the API shows it. */
export interface ReplicaSetStatus {
  replicas: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  conditions?: ReplicaSetCondition[];
}

export interface CountedPods {
  status: ReplicaSetStatus;
  /** When the next ready pod becomes available, ms since the epoch. */
  nextAvailableAt: number | undefined;
}

/** Status of a ReplicaSet with these active pods (upstream `calculateStatus`); conditions as they were. */
export function countPods(replicaSet: KubeObject, pods: readonly KubeObject[], now: number): CountedPods {
  const { template, minReadySeconds = 0 } = replicaSet.spec ?? {};
  const wanted = Object.entries((template?.metadata?.labels ?? {}) as Record<string, string>);
  let fullyLabeled = 0;
  let ready = 0;
  let available = 0;
  let nextAvailableAt: number | undefined;
  for (const pod of pods) {
    if (wanted.every(([key, value]) => pod.metadata.labels?.[key] === value)) fullyLabeled++;
    if (!isReady(pod)) continue;
    ready++;
    const at = availableAt(pod, minReadySeconds);
    if (at === undefined) continue;
    if (at <= now) available++;
    else nextAvailableAt = Math.min(nextAvailableAt ?? at, at);
  }
  const conditions = replicaSet.status?.conditions as ReplicaSetCondition[] | undefined;
  const status: ReplicaSetStatus = {
    replicas: pods.length,
    ...(fullyLabeled > 0 ? { fullyLabeledReplicas: fullyLabeled } : {}),
    ...(ready > 0 ? { readyReplicas: ready } : {}),
    ...(available > 0 ? { availableReplicas: available } : {}),
    ...(replicaSet.metadata.generation ? { observedGeneration: replicaSet.metadata.generation } : {}),
    ...(conditions?.length ? { conditions } : {}),
  };
  return { status, nextAvailableAt };
}

/** Condition ReplicaFailure: set by the first failure, kept by further ones, gone with the first success. */
export function withReplicaFailure(
  status: ReplicaSetStatus,
  failure: { reason: string; message: string } | undefined,
  now: number,
): ReplicaSetStatus {
  const { conditions = [], ...rest } = status;
  const present = conditions.some(({ type }) => type === 'ReplicaFailure');
  if (failure && present) return status;
  const others = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (!failure) return others.length > 0 ? { ...rest, conditions: others } : rest;
  const condition = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTime(now), ...failure };
  return { ...rest, conditions: [...others, condition] };
}
