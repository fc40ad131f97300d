import type { PodInfo } from '../pod-info';
import type { Status } from '../status';
import type { ChangeLog } from './change-log';
import type { NodeAggregate } from './node-aggregate';

/** Values by node slot, each good for one generation of its node. */
export class NodeMemo<T> {
  private readonly generations: number[] = [];
  private readonly values: T[] = [];

  has(slot: number, generation: number): boolean {
    return this.generations[slot] === generation;
  }

  /** To be asked for what `has` says is there. */
  get(slot: number): T {
    return this.values[slot] as T;
  }

  set(slot: number, generation: number, value: T): void {
    this.generations[slot] = generation;
    this.values[slot] = value;
  }
}

export type NodeVerdicts = NodeMemo<Status | undefined>;
/** Good for as long as the same pods are nominated to the node. */
export type NominatedVerdicts = NodeMemo<{ readonly nominated: readonly PodInfo[]; readonly status: Status | undefined }>;

/** As many kinds of pods (or sums over nodes) are remembered; the one that was not asked for longest goes first. */
const keptMax = 64;

/**
 * What was found out about nodes for one kind of pod, kept until the node changes: pods of one shape then cost what changed, and not
 * what exists. Belongs to a cache and only saves work: without it every answer is the same.
 */
export class Memos {
  private readonly nodeMemos = new Map<string, NodeMemo<unknown>>();
  private readonly aggregates = new Map<string, NodeAggregate<unknown>>();

  constructor(readonly changes: ChangeLog) {}

  nodeMemo<T>(key: string): NodeMemo<T> {
    return recall(this.nodeMemos, key, () => new NodeMemo<unknown>()) as NodeMemo<T>;
  }

  aggregate<T extends NodeAggregate<unknown>>(key: string, create: () => T): T {
    return recall(this.aggregates, key, create) as T;
  }
}

function recall<T>(kept: Map<string, T>, key: string, create: () => T): T {
  let value = kept.get(key);
  if (value !== undefined) {
    kept.delete(key);
  } else {
    value = create();
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value as string);
  }
  kept.set(key, value);
  return value;
}
