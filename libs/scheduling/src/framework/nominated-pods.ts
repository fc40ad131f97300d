import type { PodInfo } from './pod-info';

/** Pending pods that have been promised a node, as the filters count them. */
export interface NominatedPods {
  /** In order of nomination. A list is never changed: others nominated means another list. */
  on(nodeName: string): readonly PodInfo[];
}

const none: readonly PodInfo[] = [];
export const noNominatedPods: NominatedPods = { on: () => none };
