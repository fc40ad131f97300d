import type { PodInfo } from './pod-info';

/** Pending pods that have been promised a node, as the filters count them. */
export interface NominatedPods {
  /** In order of nomination. A list is never changed: others nominated means another list. */
  on(nodeName: string): readonly PodInfo[];
  /** The nodes that have any, each with its list; without it every node is asked for. */
  entries?(): Iterable<readonly [nodeName: string, pods: readonly PodInfo[]]>;
  /** The node that a pod is nominated to; without it each list is searched. */
  nominationOf?(uid: string): string | undefined;
}

const none: readonly PodInfo[] = [];
export const noNominatedPods: NominatedPods = { on: () => none, entries: () => [], nominationOf: () => undefined };
