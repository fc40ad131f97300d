import type { Position, Revision } from '../port';
import type { Accept, AllPage, Direction, EncodedAppend, EventPlace, LogEngine } from '../store/log-engine';
import type { NewEvent, StoredEvent } from '../store/stored-event';
import { TOMBSTONE_REVISION } from '../store/stored-event';

/** Everything in arrays: one over all streams, one a stream. What is appended is what is read, the same objects. */
export class MemoryEngine<P> implements LogEngine<P> {
  private readonly all: StoredEvent<P>[] = [];
  private readonly streams = new Map<string, StoredEvent<P>[]>();

  /** @param bytesOf size of the events' data, metadata and types. */
  constructor(private readonly bytesOf: (events: readonly NewEvent<P>[]) => number) {}

  lastPosition(): Position {
    return this.all[this.all.length - 1]?.position ?? 0;
  }

  encode(events: readonly NewEvent<P>[]): EncodedAppend {
    return { bytes: this.bytesOf(events) };
  }

  transaction(work: () => void): void {
    work();
  }

  insert(event: StoredEvent<P>): void {
    this.all.push(event);
    const stream = this.streams.get(event.stream);
    if (stream) stream.push(event);
    else this.streams.set(event.stream, [event]);
  }

  recent(limit: number): EventPlace[] {
    return this.all.slice(-limit).reverse();
  }

  headRevision(stream: string): Revision | undefined {
    const events = this.streams.get(stream);
    return events?.[events.length - 1]?.revision;
  }

  readStream(stream: string, from: Revision, limit: number, direction: Direction): StoredEvent<P>[] {
    const events = this.streams.get(stream) ?? [];
    if (direction === 'forwards') return events.slice(from, from + limit);
    // Revisions are dense, so they are indices; only a tombstone's is not.
    const until = from === TOMBSTONE_REVISION ? events.length : Math.min(from + 1, events.length);
    return events.slice(Math.max(0, until - limit), until).reverse();
  }

  readAll(from: Position, scanMax: number, direction: Direction, accept?: Accept): AllPage<P> {
    const index = this.indexOf(from);
    const page =
      direction === 'forwards' ? this.all.slice(index, index + scanMax) : this.all.slice(Math.max(0, index - scanMax), index).reverse();
    const events = accept ? page.filter((event) => accept(event.stream, event.type)) : page;
    return { events, scanned: page.length, last: page[page.length - 1]?.position ?? from };
  }

  close(): void {
    this.all.length = 0;
    this.streams.clear();
  }

  /** Of the first event at the position or after it. */
  private indexOf(position: Position): number {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.all[middle]!.position < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
