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

/** Changes one after another; whoever holds it finds what came after its end, also when the history has begun another. */
class Segment {
  next: Segment | undefined;
  /** Changes at the beginning of the next that are here too. */
  shared = 0;

  constructor(readonly changes: VersionedChange[]) {}
}

/** The latest changes of one resource, oldest first: watches resume from it, and a list of the near past is undone from it. */
export class ChangeHistory {
  private segment = new Segment([]);

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

  /**
   * Makes the table as it was at the position out of the table as it is when it is called, however late that is: what is forgotten meanwhile
   * stays with whoever holds this. Undefined when the position is beyond the history.
   */
  tableAt(position: number): ((now: ResourceTable) => ResourceTable) | undefined {
    if (position < this.since) return undefined;
    const { segment } = this;
    const first = this.firstAfter(position);
    return (now) => undone(now, [...changesFrom(segment, first)]);
  }

  /** Lets go of what is not later than a position. */
  forget(position: number): void {
    const cut = this.firstAfter(position);
    if (cut > 0) this.cut(cut);
  }

  private get changes(): VersionedChange[] {
    return this.segment.changes;
  }

  private firstAfter(position: number): number {
    return countWhile(this.changes, (change) => change.position <= position);
  }

  private trim(): void {
    this.cut(this.changes.length - this.changesMax);
  }

  private cut(cut: number): void {
    this.since = (this.changes[cut - 1] as VersionedChange).position;
    const { segment } = this;
    this.segment = new Segment(segment.changes.slice(cut));
    segment.next = this.segment;
    segment.shared = this.segment.changes.length;
  }
}

function* changesFrom(segment: Segment, first: number): Iterable<VersionedChange> {
  yield* segment.changes.slice(first);
  for (let at = segment; at.next; at = at.next) yield* at.next.changes.slice(at.shared);
}

function undone(now: ResourceTable, changes: readonly VersionedChange[]): ResourceTable {
  if (changes.length === 0) return now;
  const table = new ResourceTable(now.resource);
  for (const [key, object] of now.objects) table.set(key, object);
  for (const { key, before } of changes.toReversed()) {
    if (before) table.set(key, before);
    else table.delete(key);
  }
  return table;
}
