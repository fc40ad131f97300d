import { eventTtlMs, type FoldedAppend } from '#libs/cluster-state';
import type { RecordedEvent } from '#libs/event-log';
import type { ObjectKey } from '#libs/kernel';
import { appendOf } from './append-of';
import type { AppendCheck } from './check';
import type { Findings } from './finding';

/** The server removes a stored Event an hour after it was written last, and not before. */
export class EventLifetimes implements AppendCheck {
  readonly letter = 'W';
  /** Cluster time of the last write to each stored Event, ms. */
  private readonly written = new Map<ObjectKey, number>();

  constructor(
    private readonly cluster: string,
    private readonly findings: Findings,
  ) {}

  append(events: readonly RecordedEvent[]): void {
    const { first, notes, subject } = appendOf(events, this.cluster);
    if (notes.actor !== 'apiserver' || notes.op?.startsWith('event-ttl/') !== true || subject?.kind !== 'object') return;
    const written = this.written.get(subject.key as ObjectKey);
    if (written !== undefined && notes.time < written + eventTtlMs)
      this.findings.foundAt('W', first, `removed as too old, and written last at ${new Date(written).toISOString()}`);
  }

  folded({ change, time }: FoldedAppend): void {
    if (change?.resource !== 'events') return;
    if (change.type !== 'DELETED') this.written.set(change.key, time);
    else this.written.delete(change.key);
  }
}
