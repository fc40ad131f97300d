import type { RecordedEvent } from '#libs/event-log';

/**
 * Puts the events of the log back together into appends: nobody stops inside one. Appends of other streams may lie between
 * pages, never between the events of one append (the store writes an append in one piece).
 */
export class AppendGrouper {
  private pending: RecordedEvent[] = [];

  /** The append that this event completes, if it does. */
  add(event: RecordedEvent): readonly RecordedEvent[] | undefined {
    const n = event.metadata.n as number | undefined;
    const i = event.metadata.i as number | undefined;
    if (n === undefined || i === undefined || n <= 1) {
      this.pending = [];
      return [event];
    }
    if (i === 1) this.pending = [];
    this.pending.push(event);
    if (i < n) return undefined;
    const append = this.pending;
    this.pending = [];
    return append;
  }
}
