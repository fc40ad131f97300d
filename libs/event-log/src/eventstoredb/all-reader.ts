import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import type { EventFilter, Position, RecordedEvent } from '../port';
import { acceptOf } from '../store/event-filter';
import { isRefusedPosition } from './client-errors';
import { pagesOf, Patience, READABLE, readOne } from './client-reads';
import type { Connection } from './connection';
import { clientPosition, positionOf, recordedEvent, type Resolved } from './conversion';
import { Feed } from './feed';
import { Positions } from './positions';

/** Longest wait for the answer to a question about one position, ms. */
const ANSWER_MS_MAX = 5_000;

/** Reads and subscriptions of $all. */
export class AllReader {
  readonly positions: Positions;

  constructor(
    private readonly connection: Connection,
    private readonly giveUpAfterMs: number,
    private readonly seen: (position: Position, id: string) => void,
  ) {
    this.positions = new Positions({
      from: (position) => this.walk(position),
      last: () => this.lastPosition(),
      look: (position) => this.look(position),
      before: async (position) => (await this.some('backwards', position, 1))[0],
    });
  }

  /** Events from a position on; with prefixes the server filters, otherwise they are filtered here. */
  async *forwards(from: Position | 'start', filter: EventFilter | undefined): AsyncGenerator<RecordedEvent[]> {
    const start = from === 'start' ? from : await this.positions.atOrBefore(from);
    const pages = filter?.streamPrefixes ? this.search(start, filter) : this.scan('forwards', start, filter);
    for await (const page of pages) {
      const events = from === 'start' ? page : page.filter(({ position }) => position >= from);
      if (events.length > 0) yield events;
    }
  }

  /** Events before a position, last first; what the filter does not accept is left out here. */
  async *backwards(from: Position | 'end', filter: EventFilter | undefined): AsyncGenerator<RecordedEvent[]> {
    let start: Position | 'end' = 'end';
    if (from !== 'end') {
      const before = await this.positions.atOrBefore(from);
      if (before === 'start') return;
      start = (await this.some('forwards', before, 2)).find((position) => position >= from) ?? 'end';
    }
    for await (const page of this.scan('backwards', start, filter)) {
      const events = from === 'end' ? page : page.filter(({ position }) => position < from);
      if (events.length > 0) yield events;
    }
  }

  /**
   * A subscription to what comes after a position.
   * @param checkpoint of an earlier subscription with this filter, later than the position: where the server may begin
   */
  async follow(after: Position | 'start', filter: EventFilter | undefined, checkpoint?: Position): Promise<Feed> {
    const start = checkpoint ?? (after === 'start' ? after : await this.positions.atOrBefore(after));
    const [client, module] = await Promise.all([this.connection.use(), import('@eventstore/db-client')]);
    return Feed.open({
      connection: this.connection,
      client,
      module,
      after: start,
      beyond: after === 'start' ? 0 : after,
      filter,
      note: (position) => this.positions.note(position),
      seen: this.seen,
    });
  }

  /** Of the last event of the log, whatever it is. */
  async lastPosition(): Promise<Position | undefined> {
    return (await this.some('backwards', 'end', 1))[0];
  }

  private async *scan(
    direction: 'forwards' | 'backwards',
    from: Position | 'start' | 'end',
    filter: EventFilter | undefined,
  ): AsyncGenerator<RecordedEvent[]> {
    const accept = acceptOf(filter);
    let resume = from;
    /** The last event delivered. A read forwards that goes on after a broken connection begins with it once more. */
    let delivered: Position | undefined;
    for await (const page of this.pages(() => resume, direction)) {
      const events: RecordedEvent[] = [];
      for (const { event, commitPosition } of page) {
        const position = positionOf(commitPosition!);
        if (event && position !== delivered && accept(event.streamId, event.type)) events.push(recordedEvent(event));
        resume = position;
      }
      if (direction === 'forwards' && resume !== 'start' && resume !== 'end') delivered = resume;
      if (typeof resume === 'number') this.positions.note(resume);
      if (events.length > 0) yield events;
    }
  }

  /** Lets the server filter, by a subscription up to where it has caught up. It begins after the position, a read at it. */
  private async *search(from: Position | 'start', filter: EventFilter): AsyncGenerator<RecordedEvent[]> {
    let after = from;
    if (from !== 'start') {
      const accept = acceptOf(filter);
      for await (const [first] of this.pages(() => from, 'forwards', 1)) {
        const event = first?.event && positionOf(first.commitPosition!) === from ? first.event : undefined;
        if (event && accept(event.streamId, event.type)) yield [recordedEvent(event)];
      }
    }
    const patience = new Patience(this.connection, this.giveUpAfterMs);
    for (;;) {
      let feed: Feed | undefined;
      try {
        feed = await this.follow(after, filter);
        for (;;) {
          const item = await feed.next();
          if (item.kind === 'caught-up') return;
          if (item.events.length > 0) yield item.events;
          after = item.last;
          patience.renew();
        }
      } catch (error) {
        await patience.after(error);
      } finally {
        await feed?.close();
      }
    }
  }

  /** Positions of all events from one on, system events included. */
  private async *walk(from: Position | 'start'): AsyncGenerator<Position[]> {
    for await (const page of this.pages(() => from, 'forwards')) {
      const positions = page.map(({ commitPosition }) => positionOf(commitPosition!));
      from = positions[positions.length - 1]!;
      yield positions;
    }
  }

  /** What is at a position. That nothing is there servers say at once, with an error; other errors are tried again. */
  private async look(position: Position): Promise<'event' | 'nothing' | 'beyond'> {
    const patience = new Patience(this.connection, this.giveUpAfterMs);
    for (;;) {
      try {
        const fromPosition = clientPosition(position);
        const found = await readOne(this.connection, (client) => client.readAll({ fromPosition, maxCount: 1 }), ANSWER_MS_MAX);
        if (!found) return 'beyond';
        return positionOf(found.commitPosition!) === position ? 'event' : 'nothing';
      } catch (error) {
        if (isRefusedPosition(error)) return 'nothing';
        await patience.after(error);
      }
    }
  }

  /** Positions of a few events, system events included. */
  private async some(direction: 'forwards' | 'backwards', from: Position | 'end', count: number): Promise<Position[]> {
    const positions: Position[] = [];
    for await (const page of this.pages(() => from, direction, count)) {
      for (const { commitPosition } of page) positions.push(positionOf(commitPosition!));
      if (positions.length >= count) break;
    }
    return positions;
  }

  private pages(
    from: () => Position | 'start' | 'end',
    direction: 'forwards' | 'backwards',
    maxCount?: number,
  ): AsyncGenerator<Resolved[]> {
    return pagesOf(this.connection, this.giveUpAfterMs, (client: EventStoreDBClient): StreamingRead<Resolved> => {
      const position = from();
      const fromPosition = typeof position === 'number' ? clientPosition(position) : position;
      return client.readAll({ direction, fromPosition, ...(maxCount === undefined ? {} : { maxCount }) }, READABLE);
    });
  }
}
