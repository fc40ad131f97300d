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

  /** What has come of an append that is not complete yet. */
  get begun(): readonly RecordedEvent[] {
    return this.pending;
  }
}

/**
 * The frames of an append, in order: each is folded by itself and is one event of a watch. An append is written whole, so all of its
 * frames are there or none. Most have one; a deletion that takes effect at once has two, the request and the end.
 */
export function framesOf(append: readonly RecordedEvent[]): readonly (readonly RecordedEvent[])[] {
  if (append[append.length - 1]?.metadata.frame === undefined) return [append];
  const frames: RecordedEvent[][] = [];
  let current: unknown;
  for (const event of append) {
    if (event.metadata.frame !== current) frames.push([]);
    current = event.metadata.frame;
    (frames[frames.length - 1] as RecordedEvent[]).push(event);
  }
  return frames;
}
