import type { RecordedEvent } from '#libs/event-log';

/** Only a part of an append is in the log. */
export class TornAppendError extends Error {
  override name = 'TornAppendError';

  constructor(
    /** The last one there is of it, or the first one without a beginning. */
    readonly event: RecordedEvent,
    text: string,
  ) {
    super(`the append to ${event.stream} at position ${event.position} is not whole: ${text}`);
  }
}

/**
 * Puts the events of the log together into whole appends. Pages may end inside an append, but nothing lies between its events (the store
 * writes an append in one piece).
 */
export class AppendGrouper {
  private pending: RecordedEvent[] = [];

  /** The append that this event completes, if it does. @throws TornAppendError */
  add(event: RecordedEvent): readonly RecordedEvent[] | undefined {
    const { i = 1, n = 1 } = event.metadata as { i?: number; n?: number };
    const before = this.pending[this.pending.length - 1];
    if (before) {
      const { i: last, n: length } = before.metadata as { i: number; n: number };
      if (event.stream !== before.stream || i !== last + 1 || n !== length)
        throw new TornAppendError(before, `${last} of ${length} events are there`);
    } else if (i !== 1) {
      throw new TornAppendError(event, n < i ? `it begins with event ${i}` : `it begins with event ${i} of ${n}`);
    }
    if (n <= 1) return [event];
    this.pending.push(event);
    if (i < n) return undefined;
    const append = this.pending;
    this.pending = [];
    return append;
  }

  /** Lets go of what is torn: the event may begin an append; if it does not, it belongs to one whose beginning is missing. */
  beginAnew(event: RecordedEvent): readonly RecordedEvent[] | undefined {
    this.pending = [];
    return ((event.metadata.i as number | undefined) ?? 1) === 1 ? this.add(event) : undefined;
  }

  /** What has come of an append that is not complete yet. */
  get begun(): readonly RecordedEvent[] {
    return this.pending;
  }

  /** Nothing comes any more. @throws TornAppendError */
  end(): void {
    const last = this.pending[this.pending.length - 1];
    if (last) throw new TornAppendError(last, `${last.metadata.i as number} of ${last.metadata.n as number} events are there`);
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
