import type { PodInfo } from '../framework/pod-info';
import type { QueuedPod } from '../framework/interface';

/** A pending pod with what the queue knows of its attempts. Times are milliseconds since the epoch. */
export interface QueuedPodInfo extends QueuedPod {
  info: PodInfo;
  timestamp: number;
  attempts: number;
  /** Refusals; set back-off grows with them. */
  unschedulableCount: number;
  /** Errors in a row; while there are any, they alone set the back-off. */
  consecutiveErrorsCount: number;
  initialAttemptTimestamp: number | undefined;
  unschedulablePlugins: ReadonlySet<string>;
  pendingPlugins: ReadonlySet<string>;
  /** The plugin whose PreEnqueue holds the pod back. */
  gatingPlugin: string | undefined;
}

export const noPlugins: ReadonlySet<string> = new Set();

export function newQueuedPodInfo(info: PodInfo, now: number): QueuedPodInfo {
  return {
    info,
    timestamp: now,
    attempts: 0,
    unschedulableCount: 0,
    consecutiveErrorsCount: 0,
    initialAttemptTimestamp: undefined,
    unschedulablePlugins: noPlugins,
    pendingPlugins: noPlugins,
    gatingPlugin: undefined,
  };
}

export function uidOf(pod: QueuedPodInfo): string {
  return pod.info.uid;
}
