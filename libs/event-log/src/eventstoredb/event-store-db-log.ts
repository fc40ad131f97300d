import type { Readable } from 'node:stream';
import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { AppendTooLargeError } from '../errors';
import { appendBytes } from '../memory/json-size';
import type {
  AppendResult,
  EventFilter,
  EventLog,
  EventToAppend,
  ExpectedRevision,
  Position,
  ReadAllOptions,
  ReadStreamOptions,
  RecordedEvent,
  SubscribeOptions,
  Subscription,
  SubscriptionHandlers,
} from '../port';
import { acceptOf } from '../store/event-filter';
import { APPEND_BYTES_MAX } from '../store/event-store';
import { AppendQueue } from './append-queue';
import { isRetried, isStreamMissing, logError } from './client-errors';
import { Connection } from './connection';
import { clientPosition, positionOf, recordedEvent, type Resolved } from './conversion';
import { Feed } from './feed';
import { StreamReader } from './stream-reader';
import { ResumingSubscription, type FeedSource } from './resuming-subscription';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, as the official clients take it. */
  connectionString: string;
  /** How long an append, a read or a subscription tries to reach the store before it fails, ms. */
  giveUpAfterMs?: number;
  /** Appends larger than this are refused before they are sent; every server takes 1 MiB, the default. */
  appendBytesMax?: number;
}

const GIVE_UP_AFTER_MS = 60_000;
const PAGE_EVENTS = 500;
const READ_RETRY_MS = 100;
/** Lets the client's stream hold a page. */
const READABLE = { highWaterMark: PAGE_EVENTS };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The log over an EventStoreDB or KurrentDB server, or kubereel's own, by the official client. */
export class EventStoreDbLog implements EventLog {
  /** For reads and subscriptions. */
  private readonly connection: Connection;
  private readonly appendConnection: Connection;
  private readonly appends: AppendQueue;
  private readonly subscriptions = new Set<ResumingSubscription>();
  private readonly giveUpAfterMs: number;
  private readonly appendBytesMax: number;
  private readonly source: FeedSource;

  constructor(options: EventStoreDbOptions) {
    this.connection = new Connection(options.connectionString);
    this.giveUpAfterMs = options.giveUpAfterMs ?? GIVE_UP_AFTER_MS;
    this.appendBytesMax = options.appendBytesMax ?? APPEND_BYTES_MAX;
    this.appendConnection = new Connection(options.connectionString);
    this.appends = new AppendQueue(this.appendConnection, this.giveUpAfterMs);
    this.source = {
      open: (after, filter) => this.feed(after, filter),
      end: async () => (await this.lastPosition()) ?? 'start',
      renew: () => this.connection.renew(),
    };
  }

  async append(stream: string, events: readonly EventToAppend[], expected: ExpectedRevision): Promise<AppendResult> {
    const bytes = appendBytes(events, this.appendBytesMax);
    if (bytes > this.appendBytesMax) throw new AppendTooLargeError(bytes, this.appendBytesMax);
    const result = await this.appends.append(stream, events, expected, bytes);
    if (events.length > 0) return result;
    // The client reports revision 0 for an empty append to no stream.
    for await (const [last] of this.readStream(stream, { direction: 'backwards', limit: 1 }))
      return { revision: last!.revision, position: undefined };
    return { revision: undefined, position: undefined };
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const backwards = options.direction === 'backwards';
    let from = options.from ?? (backwards ? 'end' : 'start');
    let left = options.limit ?? Infinity;
    if (left <= 0 || (from === 'end' && !backwards)) return;
    if (from === 'start') from = 0;
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> =>
      client.readStream(
        stream,
        {
          direction: backwards ? 'backwards' : 'forwards',
          fromRevision: from === 'end' || from === 'start' ? from : BigInt(from),
          ...(left < Infinity ? { maxCount: left } : {}),
        },
        READABLE,
      ) as StreamingRead<Resolved>;
    for await (const page of this.pages(read)) {
      const events = page.map(({ event }) => recordedEvent(event!));
      yield events;
      left -= events.length;
      from = events[events.length - 1]!.revision + (backwards ? -1 : 1);
      if (left <= 0 || from < 0) return;
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const backwards = options.direction === 'backwards';
    const from = options.from ?? (backwards ? 'end' : 'start');
    const limit = options.limit ?? Infinity;
    if (limit <= 0 || from === (backwards ? 'start' : 'end')) return;
    let left = limit;
    const pages =
      !backwards && options.filter?.streamPrefixes ? this.searchForwards(from, options.filter) : this.scan(from, backwards, options.filter);
    for await (const page of pages) {
      const events = page.length > left ? page.slice(0, left) : page;
      left -= events.length;
      if (events.length > 0) yield events;
      if (left <= 0) return;
    }
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const over = (subscription: ResumingSubscription): void => void this.subscriptions.delete(subscription);
    const subscription = new ResumingSubscription(this.source, options, handlers, this.giveUpAfterMs, over);
    this.subscriptions.add(subscription);
    return subscription;
  }

  async head(filter?: EventFilter): Promise<Position | undefined> {
    for await (const [event] of this.readAll({ direction: 'backwards', limit: 1, filter })) return event!.position;
    return undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    await Promise.all([this.connection.close(), this.appendConnection.close()]);
    this.appends.close();
  }

  /** Reads all events and leaves out here what the filter does not accept: the client has no filter for reads. */
  private async *scan(
    from: Position | 'start' | 'end',
    backwards: boolean,
    filter: EventFilter | undefined,
  ): AsyncGenerator<RecordedEvent[]> {
    const accept = acceptOf(filter);
    let resume = from;
    /** Set after a broken connection: the event there has been delivered already. */
    let delivered: Position | undefined;
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> =>
      client.readAll(
        { direction: backwards ? 'backwards' : 'forwards', fromPosition: typeof resume === 'number' ? clientPosition(resume) : resume },
        READABLE,
      );
    for await (const page of this.pages(read)) {
      const events: RecordedEvent[] = [];
      for (const { event, commitPosition } of page) {
        const position = commitPosition === undefined ? undefined : positionOf(commitPosition);
        if (event && position !== delivered && accept(event.streamId, event.type)) events.push(recordedEvent(event));
        resume = position ?? resume;
        if (!backwards) delivered = position ?? delivered;
      }
      if (events.length > 0) yield events;
    }
  }

  /** Lets the server filter, by a subscription up to where it has caught up. Subscriptions begin after a position, reads at it. */
  private async *searchForwards(from: Position | 'start' | 'end', filter: EventFilter): AsyncGenerator<RecordedEvent[]> {
    let after: Position | 'start' = 'start';
    if (typeof from === 'number') {
      const first = await this.firstFrom(from);
      if (!first) return;
      if (acceptOf(filter)(first.stream, first.type)) yield [first];
      after = first.position;
    }
    const until = Date.now() + this.giveUpAfterMs;
    for (;;) {
      let feed: Feed | undefined;
      try {
        feed = await this.feed(after, filter);
        for (;;) {
          const item = await feed.next();
          if (item.kind === 'caught-up') return;
          if (item.events.length > 0) yield item.events;
          after = item.last;
        }
      } catch (error) {
        if (!isRetried(error) || this.connection.isClosed || Date.now() > until) throw logError(error);
        await pause(READ_RETRY_MS);
      } finally {
        await feed?.close();
      }
    }
  }

  private async firstFrom(position: Position): Promise<RecordedEvent | undefined> {
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> =>
      client.readAll({ fromPosition: clientPosition(position), maxCount: 1 });
    for await (const [first] of this.pages(read)) return first?.event && recordedEvent(first.event);
    return undefined;
  }

  private async lastPosition(): Promise<Position | undefined> {
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> =>
      client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 });
    for await (const [last] of this.pages(read)) return last?.commitPosition === undefined ? undefined : positionOf(last.commitPosition);
    return undefined;
  }

  /** Pages of a client's read. `read` is called again after a broken connection and must then begin where the last page ended. */
  private async *pages(read: (client: EventStoreDBClient) => StreamingRead<Resolved>): AsyncGenerator<Resolved[]> {
    let until = Date.now() + this.giveUpAfterMs;
    for (;;) {
      let stop: (() => Promise<void>) | undefined;
      try {
        const stream = read(await this.connection.use());
        const reader = new StreamReader<Resolved>(stream as unknown as Readable);
        stop = () => reader.stop(() => stream.cancel());
        for (let more = true; more; more = await reader.more()) {
          for (let page = reader.take(PAGE_EVENTS); page.length > 0; page = reader.take(PAGE_EVENTS)) {
            yield page;
            until = Date.now() + this.giveUpAfterMs;
          }
        }
        return;
      } catch (error) {
        if (isStreamMissing(error)) return;
        if (!isRetried(error) || this.connection.isClosed || Date.now() > until) throw logError(error);
        await pause(READ_RETRY_MS);
      } finally {
        await stop?.();
      }
    }
  }

  private async feed(after: Position | 'start', filter: EventFilter | undefined): Promise<Feed> {
    const [client, module] = await Promise.all([this.connection.use(), import('@eventstore/db-client')]);
    return Feed.open(client, after, filter, module);
  }
}
