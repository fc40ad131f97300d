import { countWhile } from '#libs/kernel';
import type { Position, Revision } from '../port';
import type { Accept, AllPage, Direction, EncodedAppend, EventPlace, LogEngine } from '../store/log-engine';
import type { NewEvent, StoredEvent } from '../store/stored-event';
import { TOMBSTONE_REVISION } from '../store/stored-event';
import { MemoryHistory } from './memory-history';

/** The events of a stream that are kept: those of revision `first` and later. */
interface KeptStream<P> {
  first: Revision;
  events: StoredEvent<P>[];
}

/** Everything in arrays: one over all streams, one a stream. What is appended is what is read, the same objects. */
export class MemoryEngine<P> implements LogEngine<P> {
  readonly history: MemoryHistory<P> | undefined;
  private readonly all: StoredEvent<P>[] = [];
  private readonly streams = new Map<string, KeptStream<P>>();

  /**
   * @param bytesOf size of the events' data, metadata and types.
   * @param historyBytesMax let go of the oldest appends beyond this size; absent: keep all.
   */
  constructor(
    private readonly bytesOf: (events: readonly NewEvent<P>[]) => number,
    historyBytesMax?: number,
  ) {
    if (historyBytesMax !== undefined) this.history = new MemoryHistory(historyBytesMax, (count) => this.forget(count));
  }

  lastPosition(): Position {
    return this.all[this.all.length - 1]?.position ?? this.history?.forgotten ?? 0;
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
    if (stream) stream.events.push(event);
    else this.streams.set(event.stream, { first: event.revision, events: [event] });
  }

  appended(events: number, bytes: number): void {
    this.history?.add(events, bytes);
  }

  recent(limit: number): EventPlace[] {
    return this.all.slice(-limit).reverse();
  }

  headRevision(stream: string): Revision | undefined {
    const kept = this.streams.get(stream);
    return kept && (kept.events[kept.events.length - 1]?.revision ?? kept.first - 1);
  }

  readStream(stream: string, from: Revision, limit: number, direction: Direction): StoredEvent<P>[] {
    const { first, events } = this.streams.get(stream) ?? { first: 0, events: [] };
    // Revisions are dense, so they are indices; only a tombstone's is not.
    const index = from - first;
    const start = Math.max(0, index);
    if (direction === 'forwards') {
      const last = events[events.length - 1];
      const beyond = start >= events.length && last?.revision === TOMBSTONE_REVISION && from <= TOMBSTONE_REVISION;
      return beyond ? [last] : events.slice(start, start + limit);
    }
    const until = from === TOMBSTONE_REVISION ? events.length : Math.max(0, Math.min(index + 1, events.length));
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

  /** Streams keep their heads: what is appended next goes on from there. */
  private forget(count: number): readonly StoredEvent<P>[] {
    const gone = this.all.splice(0, count);
    const counts = new Map<string, number>();
    for (const { stream } of gone) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    for (const [stream, ofStream] of counts) {
      const kept = this.streams.get(stream);
      if (!kept) continue;
      kept.events.splice(0, ofStream);
      kept.first += ofStream;
    }
    return gone;
  }

  /** Of the first event at the position or after it. */
  private indexOf(position: Position): number {
    return countWhile(this.all, (event) => event.position < position);
  }
}
