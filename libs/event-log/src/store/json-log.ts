import type { JsonObject } from '#libs/kernel';
import type {
  AppendOptions,
  AppendResult,
  BoundedHistory,
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
import type { Availability, AvailabilityListener } from '../availability';
import { HistoryForgottenError, LogTimeoutError } from '../errors';
import { acceptOf } from './event-filter';
import type { EventStore } from './event-store';
import { allCursor, Follower, PAGE_EVENTS } from './follower';
import type { PayloadCodec } from './stored-event';

export const jsonCodec: PayloadCodec<JsonObject> = {
  text: (payload) => JSON.stringify(payload),
  ofJsonText: (text) => JSON.parse(text) as JsonObject,
  empty: {},
};

export interface JsonLogOptions {
  /** Give way to other work of the process between pages; off for the memory log, whose users depend on microtask order. */
  yields: boolean;
  /** Called when the log is closed, after the store. */
  onClose?: () => void;
}

/** So many times the rows of a page the next one has, up to PAGE_EVENTS. */
const pageGrowth = 8;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The port over an event store in this process. */
export class JsonLog implements EventLog {
  readonly readsAnywhere = true;
  private readonly followers = new Set<Follower<JsonObject>>();

  constructor(
    private readonly store: EventStore<JsonObject>,
    private readonly options: JsonLogOptions,
  ) {}

  get history(): BoundedHistory | undefined {
    return this.store.history;
  }

  append(stream: string, events: readonly EventToAppend[], expected: ExpectedRevision, options?: AppendOptions): Promise<AppendResult> {
    if (options?.signal?.aborted) return Promise.reject(new LogTimeoutError('nobody waits for the append any more; nothing was written'));
    return this.store.append(stream, events, expected);
  }

  async *readStream(stream: string, options: ReadStreamOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const direction = options.direction ?? 'forwards';
    let from = options.from ?? (direction === 'forwards' ? 'start' : 'end');
    let left = options.limit ?? Infinity;
    let end: number | undefined;
    for (let isFirst = true; left > 0; isFirst = false) {
      const page = this.store.readStream(stream, from, Math.min(left, PAGE_EVENTS), direction);
      // What is appended while the pages are read is not part of the answer. Most streams are one page.
      if (isFirst && direction === 'forwards' && page.next !== undefined && page.events.length < left)
        end = this.store.readStream(stream, 'end', 1, 'backwards').events[0]?.revision;
      const last = end ?? Infinity;
      const events = page.events.filter((event) => event.revision <= last);
      left -= events.length;
      if (events.length > 0) yield events;
      if (page.next === undefined || page.next > last) return;
      from = page.next;
      if (this.options.yields) await turn();
    }
  }

  async *readAll(options: ReadAllOptions = {}): AsyncGenerator<readonly RecordedEvent[]> {
    const forwards = options.direction !== 'backwards';
    const accept = acceptOf(options.filter);
    const end = Math.min(this.store.lastPosition, (forwards ? options.until : undefined) ?? Infinity);
    let from = this.startOf(options.from ?? (forwards ? 'start' : 'end'), this.store.lastPosition);
    let left = options.limit ?? Infinity;
    // Who wants one event is seldom far from it; a filter may let little through, so each page is larger than the one before.
    for (let rows = left; left > 0; rows *= pageGrowth) {
      const page = this.store.readAll(from, Math.min(rows, PAGE_EVENTS), forwards ? 'forwards' : 'backwards', accept);
      if (page.scanned === 0) return;
      let events: readonly RecordedEvent[] = page.events;
      if (forwards && page.last > end) events = events.filter((event) => event.position <= end);
      if (events.length > left) events = events.slice(0, left);
      left -= events.length;
      if (events.length > 0) yield events;
      if (forwards && page.last >= end) return;
      from = forwards ? page.last + 1 : page.last;
      if (this.options.yields) await turn();
      // Whoever has begun to read must not miss what was let go of meanwhile.
      const forgotten = this.history?.forgotten ?? 0;
      if (forwards && from <= forgotten) throw new HistoryForgottenError(from, forgotten);
    }
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    const after = options.after === 'start' ? 0 : options.after === 'end' ? this.store.lastPosition : options.after;
    const cursor = allCursor(this.store, after, acceptOf(options.filter));
    const follower: Follower<JsonObject> = new Follower(
      { store: this.store, cursor, yields: this.options.yields },
      {
        page: ({ events }) => (events.length > 0 ? handlers.events(events) : undefined),
        caughtUp: () => handlers.caughtUp(),
        failed: (error) => {
          this.followers.delete(follower);
          handlers.failed(error);
        },
      },
    );
    this.followers.add(follower);
    return {
      close: () => {
        this.followers.delete(follower);
        follower.close();
        return Promise.resolve();
      },
    };
  }

  async head(filter?: EventFilter): Promise<Position | undefined> {
    for await (const [event] of this.readAll({ direction: 'backwards', from: 'end', limit: 1, filter })) return event!.position;
    return undefined;
  }

  check(): Promise<Availability> {
    return Promise.resolve(this.store.check());
  }

  onAvailability(listener: AvailabilityListener): () => void {
    return this.store.monitor.onChange(listener);
  }

  close(): Promise<void> {
    for (const follower of this.followers) follower.close();
    this.followers.clear();
    this.store.close();
    this.options.onClose?.();
    return Promise.resolve();
  }

  private startOf(from: Position | 'start' | 'end', end: Position): Position {
    if (from === 'start') return 0;
    return from === 'end' ? end + 1 : from;
  }
}
