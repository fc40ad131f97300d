import type { Listers } from './listers';
import type { Memos } from './memo/memos';
import type { NodeInfo } from './node-info';

/**
 * The cluster as one attempt sees it. It is a view on the cache that made it, valid until the cache next changes: an attempt is
 * synchronous, so nothing is copied.
 */
export interface Snapshot {
  /** Known nodes in the order the filters visit them: round-robin over zones, in a zone in order of arrival. */
  readonly nodes: readonly NodeInfo[];
  readonly nodesWithAffinity: ReadonlySet<NodeInfo>;
  readonly nodesWithRequiredAntiAffinity: ReadonlySet<NodeInfo>;
  readonly listers: Listers;
  readonly memos: Memos;
  /** Above the slot of every node. */
  readonly slotCount: number;
  get(nodeName: string): NodeInfo | undefined;
  /** How many pods on nodes use the claim (`namespace/name`). */
  claimUseCount(claimKey: string): number;
}
