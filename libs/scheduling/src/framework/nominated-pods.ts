import type { PodInfo } from './pod-info';

/** Pending pods that have been promised a node, as the filters count them. */
export interface NominatedPods {
  /** In order of nomination. A list is never changed: others nominated means another list. */
  on(nodeName: string): readonly PodInfo[];
  /** The nodes that have any; without it every node is asked for. */
  nodeNames?(): Iterable<string>;
}

const none: readonly PodInfo[] = [];
export const noNominatedPods: NominatedPods = { on: () => none, nodeNames: () => [] };
