import { formatTime, type KubeObject } from '#libs/kernel';
import type { Condition } from '#libs/cluster-state';

/** How far a resize is, as the pod's conditions say it. */
export interface ResizeState {
  /** It cannot be begun with, or not yet. */
  pending?: Condition;
  /** Resources are set aside; some container does not have them yet. */
  inProgress?: Condition;
  /** When they were set aside, ms. */
  allocatedAt?: number;
}

export type ResizeCondition = 'PodResizePending' | 'PodResizeInProgress';

export const resizeConditions: readonly ResizeCondition[] = ['PodResizePending', 'PodResizeInProgress'];

/** Upstream `updatedPodResizeCondition`: it goes over with its reason; that it was looked at shows only with something else. */
export function resizeCondition(
  type: ResizeCondition,
  { reason, message }: { reason?: string; message?: string },
  before: Condition | undefined,
  pod: KubeObject,
  now: number,
): Condition {
  const { generation } = pod.metadata;
  const observedGeneration = type === 'PodResizeInProgress' ? (before?.observedGeneration ?? generation) : generation;
  if (before && before.reason === reason && before.message === message) return { ...before, ...(generation && { observedGeneration }) };
  const time = formatTime(now);
  return {
    type,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    status: 'True',
    lastProbeTime: time,
    lastTransitionTime: before && before.reason === reason ? (before.lastTransitionTime ?? time) : time,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
  };
}
