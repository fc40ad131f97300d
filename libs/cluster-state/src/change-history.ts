import { countWhile, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';
import { ResourceTable } from './resource-table';

/** A change as a watch shows it, with its version. */
export interface VersionedChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  position: number;
  key: ObjectKey;
  before: KubeObject | undefined;
  object: KubeObject;
}

/** Changes kept in memory; older ones are read from the log. */
export const historyMax = 8_192;

/** So many times the most there may be before the oldest are let go of, so that they go in one piece and not one by one. */
export const keptSlack = 1.25;

/** The latest changes of one resource, oldest first: watches resume from it, and a list of the near past is undone from it. */
export class ChangeHistory {
  private changes: VersionedChange[] = [];

  /** `since`: everything after this position is in the history. */
  constructor(
    readonly resource: GroupResource,
    private since: number,
    private readonly changesMax = historyMax,
  ) {}

  /** Every change later than this position is here. */
  get completeSince(): number {
    return this.since;
  }

  push(change: VersionedChange): void {
    this.changes.push(change);
    if (this.changes.length > this.changesMax * keptSlack) this.trim();
  }

  /** Changes after the position, oldest first; undefined when some of them are no longer here. */
  after(position: number): readonly VersionedChange[] | undefined {
    if (position < this.since) return undefined;
    return this.changes.slice(this.firstAfter(position));
  }

  /** The table as it was at the position; undefined when that is beyond the history. */
  tableAt(now: ResourceTable, position: number): ResourceTable | undefined {
    if (position < this.since) return undefined;
    const first = this.firstAfter(position);
    if (first === this.changes.length) return now;
    const table = new ResourceTable(now.resource);
    for (const [key, object] of now.objects) table.set(key, object);
    for (let i = this.changes.length - 1; i >= first; i--) {
      const { key, before } = this.changes[i] as VersionedChange;
      if (before) table.set(key, before);
      else table.delete(key);
    }
    return table;
  }

  /** Lets go of what is not later than a position. */
  forget(position: number): void {
    const cut = this.firstAfter(position);
    if (cut > 0) this.cut(cut);
  }

  private firstAfter(position: number): number {
    return countWhile(this.changes, (change) => change.position <= position);
  }

  private trim(): void {
    this.cut(this.changes.length - this.changesMax);
  }

  private cut(cut: number): void {
    this.since = (this.changes[cut - 1] as VersionedChange).position;
    this.changes = this.changes.slice(cut);
  }
}
