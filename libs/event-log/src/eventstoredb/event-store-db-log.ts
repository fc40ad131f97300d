import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { AppendTooLargeError } from '../errors';
import { appendBytes } from '../memory/json-size';
import {
  APPEND_MS_MAX,
  type AppendOptions,
  type AppendResult,
  type EventFilter,
  type EventLog,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type RecordedEvent,
  type Revision,
  type SubscribeOptions,
  type Subscription,
  type SubscriptionHandlers,
} from '../port';
import { APPEND_BYTES_MAX } from '../store/event-store';
import { AvailabilityMonitor, CHECK_MS_MAX, type Availability, type AvailabilityListener } from '../availability';
import { AllReader } from './all-reader';
import { AppendQueue } from './append-queue';
import { pagesOf, READABLE } from './client-reads';
import { Connection } from './connection';
import { recordedEvent, type Resolved } from './conversion';
import { guardedLog } from './guarded-log';
import { HealthCheck } from './health-check';
import { LogGuard } from './log-guard';
import { ResumingSubscription, type FeedSource } from './resuming-subscription';

export interface EventStoreDbOptions {
  /** `esdb://…` or `esdb+discover://…`, as the official clients take it. */
  connectionString: string;
  /** How long an append or a read tries to reach the store before it fails, ms; subscriptions try without end. */
  giveUpAfterMs?: number;
  /** Appends larger than this are refused before they are sent; every server takes 1 MiB, the default. */
  appendBytesMax?: number;
}

/** The log over an EventStoreDB or KurrentDB server, or kubereel's own, by the official client. */
export class EventStoreDbLog implements EventLog {
  /** For reads and subscriptions. */
  private readonly connection: Connection;
  private readonly appendConnection: Connection;
  private readonly monitor = new AvailabilityMonitor();
  private readonly health: HealthCheck;
  private readonly guard: LogGuard;
  private readonly appends: AppendQueue;
  private readonly all: AllReader;
  private readonly subscriptions = new Set<ResumingSubscription>();
  private readonly giveUpAfterMs: number;
  private readonly appendBytesMax: number;
  private readonly source: FeedSource;

  constructor(options: EventStoreDbOptions) {
    this.connection = new Connection(options.connectionString);
    this.giveUpAfterMs = options.giveUpAfterMs ?? APPEND_MS_MAX;
    this.appendBytesMax = options.appendBytesMax ?? APPEND_BYTES_MAX;
    this.appendConnection = new Connection(options.connectionString);
    const { connection, monitor } = this;
    this.health = new HealthCheck(connection, monitor);
    this.guard = new LogGuard(guardedLog(connection));
    this.appends = new AppendQueue({ connection: this.appendConnection, guard: this.guard, monitor, appendMsMax: this.giveUpAfterMs });
    this.all = new AllReader(connection, this.giveUpAfterMs, (position, id) => this.guard.note(position, id));
    this.source = {
      broke: (reason) => {
        this.guard.suspect();
        monitor.trouble('reads', reason);
      },
      received: () => monitor.well('reads'),
      assured: () => this.guard.assured(),
      open: (after, filter, checkpoint) => this.all.follow(after, filter, checkpoint),
      end: async () => (await this.all.lastPosition()) ?? 'start',
      renew: () => this.connection.renew(),
    };
  }

  async append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    options: AppendOptions = {},
  ): Promise<AppendResult> {
    const bytes = appendBytes(events, this.appendBytesMax);
    if (bytes > this.appendBytesMax) throw new AppendTooLargeError(bytes, this.appendBytesMax);
    const result = await this.appends.append({ stream, events, expected, bytes }, options.signal);
    if (result.position !== undefined) this.noteWritten(result.position, events);
    if (events.length > 0) return result;
    // The client reports revision 0 for an empty append to no stream.
    const [last] = await this.firstPage(this.streamPages(stream, 'end', true, 1));
    return { revision: last?.revision, position: undefined };
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const backwards = options.direction === 'backwards';
    const from = options.from ?? (backwards ? 'end' : 'start');
    const limit = options.limit ?? Infinity;
    if (limit <= 0 || (from === 'end' && !backwards)) return;
    let found = false;
    for await (const page of this.streamPages(stream, from, backwards, limit)) {
      found = true;
      yield page;
    }
    // Backwards from beyond the head a real server looks only at the revisions asked for, and finds none.
    if (found || !backwards || typeof from !== 'number') return;
    const [last] = await this.firstPage(this.streamPages(stream, 'end', true, 1));
    if (last && last.revision < from) yield* this.streamPages(stream, last.revision, true, limit);
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const backwards = options.direction === 'backwards';
    const from = options.from ?? (backwards ? 'end' : 'start');
    let left = options.limit ?? Infinity;
    if (left <= 0) return;
    if (from === 'start' ? backwards : from === 'end' && !backwards) return;
    const pages = backwards
      ? this.all.backwards(from as Position | 'end', options.filter)
      : this.all.forwards(from as Position | 'start', options.filter);
    for await (const page of pages) {
      const events = page.length > left ? page.slice(0, left) : page;
      left -= events.length;
      yield events;
      if (left <= 0) return;
    }
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const over = (subscription: ResumingSubscription): void => void this.subscriptions.delete(subscription);
    const subscription = new ResumingSubscription(this.source, options, handlers, over);
    this.subscriptions.add(subscription);
    return subscription;
  }

  async head(filter?: EventFilter): Promise<Position | undefined> {
    return (await this.firstPage(this.readAll({ direction: 'backwards', limit: 1, filter })))[0]?.position;
  }

  async check(msMax = CHECK_MS_MAX): Promise<Availability> {
    await Promise.all([this.health.check(msMax), this.appends.check(msMax)]);
    return this.monitor.current;
  }

  onAvailability(listener: AvailabilityListener): () => void {
    return this.monitor.onChange(listener);
  }

  async close(): Promise<void> {
    this.health.close();
    await Promise.all([...this.subscriptions].map((subscription) => subscription.close()));
    await Promise.all([this.connection.close(), this.appendConnection.close()]);
    this.appends.close();
  }

  private async *streamPages(
    stream: string,
    from: Revision | 'start' | 'end',
    backwards: boolean,
    limit: number,
  ): AsyncGenerator<RecordedEvent[]> {
    let next = from === 'start' ? 0 : from;
    let left = limit;
    const read = (client: EventStoreDBClient): StreamingRead<Resolved> =>
      client.readStream(
        stream,
        {
          direction: backwards ? 'backwards' : 'forwards',
          fromRevision: next === 'end' ? next : BigInt(next),
          ...(left < Infinity ? { maxCount: left } : {}),
        },
        READABLE,
      ) as StreamingRead<Resolved>;
    for await (const page of pagesOf(this.connection, this.giveUpAfterMs, read)) {
      const events = page.map(({ event }) => recordedEvent(event!));
      left -= events.length;
      next = events[events.length - 1]!.revision + (backwards ? -1 : 1);
      yield events;
      if (left <= 0 || next < 0) return;
    }
  }

  private noteWritten(position: Position, events: readonly EventToAppend[]): void {
    this.all.positions.note(position);
    const last = events[events.length - 1];
    if (last) this.guard.note(position, last.id);
  }

  private async firstPage(pages: AsyncIterable<readonly RecordedEvent[]>): Promise<readonly RecordedEvent[]> {
    for await (const page of pages) return page;
    return [];
  }
}
