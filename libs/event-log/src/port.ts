import type { JsonObject } from '#libs/kernel';
import type { Availability, AvailabilityListener } from './availability';

/**
 * A place in the log, over all streams: EventStoreDB's `$all` commit position. Strictly increasing, not dense: two positions
 * are at least POSITION_STRIDE apart, which leaves room for versions derived from an event (see docs/decisions/0003).
 * Kept as a number: log offsets stay far below 2^53.
 */
export type Position = number;
/** Least distance of two positions. */
export const POSITION_STRIDE = 16;

/** Place of an event in its stream, dense from 0. */
export type Revision = number;

export type ExpectedRevision = Revision | 'no_stream' | 'any' | 'stream_exists';

export interface EventToAppend {
  /** UUID. The store refuses nothing because of it, but a retry with the same id and expected revision succeeds. */
  id: string;
  type: string;
  data: JsonObject;
  metadata: JsonObject;
}

export interface RecordedEvent extends EventToAppend {
  stream: string;
  revision: Revision;
  position: Position;
  /** When the store wrote it, ms since the epoch (real time). */
  created: number;
}

/** Longest that an append may take, ms; then it fails, and what had not been sent by then never is. */
export const APPEND_MS_MAX = 10_000;

/** Whether somebody still waits: what of an AbortSignal is needed to know. */
export interface WaitSignal {
  readonly aborted: boolean;
  /** Why: an Error. */
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export interface AppendOptions {
  /** Nobody waits for the append any more: it is dropped if it has not been sent yet. */
  signal?: WaitSignal;
}

export interface AppendResult {
  /** Revision of the last event; undefined for an empty append to no stream. */
  revision: Revision | undefined;
  /** Position of the last event. */
  position: Position | undefined;
}

export interface ReadStreamOptions {
  direction?: 'forwards' | 'backwards';
  /** Inclusive. */
  from?: Revision | 'start' | 'end';
  limit?: number;
}

/** Which events of $all: by stream-name prefix. System events (`$…`) are never part of it. */
export interface EventFilter {
  streamPrefixes?: readonly string[];
  /** Of those, streams that are left out. */
  exceptPrefixes?: readonly string[];
}

export interface ReadAllOptions {
  direction?: 'forwards' | 'backwards';
  /** Forwards: events at this position and later. Backwards: events before this position. */
  from?: Position | 'start' | 'end';
  /** Forwards: whoever reads wants nothing later than this position. A log that cannot tell where it is may give more. */
  until?: Position;
  limit?: number;
  filter?: EventFilter;
}

export interface SubscribeOptions {
  /** Events after this position (exclusive); 'start' = from the first, 'end' = only new ones. */
  after: Position | 'start' | 'end';
  filter?: EventFilter;
}

export interface SubscriptionHandlers {
  /** Events in order; never called again before the returned promise settles. */
  events(batch: readonly RecordedEvent[]): void | Promise<void>;
  /** Everything that was in the log when the subscription reached its head has been delivered. Called once or more. */
  caughtUp(): void;
  /**
   * The subscription has ended for good (not called after `close`): the handler failed, the store refuses the subscriber, or
   * the log has been replaced by another (LogReplacedError). While a store is merely away, adapters try without end.
   */
  failed(error: Error): void;
}

export interface Subscription {
  close(): Promise<void>;
}

/** What a log that drops its oldest events tells about them. */
export interface BoundedHistory {
  /** Everything up to this position has been let go; 0: nothing has. */
  readonly forgotten: Position;
  /** Calls back with the events that are about to be let go, oldest first, whole appends. */
  onForget(listener: (events: readonly RecordedEvent[]) => void): void;
}

/** The one way to the event store. One contract suite runs over every adapter. */
export interface EventLog {
  /**
   * Writes the events atomically, in order, at the end of the stream; resolves when they are durable under the log's durability.
   * @throws WrongExpectedRevisionError, StreamDeletedError, AppendTooLargeError, LogUnavailableError (nothing was written),
   * OutcomeUnknownError, LogReplacedError
   */
  append(stream: string, events: readonly EventToAppend[], expected: ExpectedRevision, options?: AppendOptions): Promise<AppendResult>;
  /** Pages of events, at most a few hundred a page. A missing stream yields nothing. */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<readonly RecordedEvent[]>;
  readAll(options?: ReadAllOptions): AsyncIterable<readonly RecordedEvent[]>;
  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription;
  /** Position of the last event that readAll would give; undefined when there is none. */
  head(filter?: EventFilter): Promise<Position | undefined>;
  /**
   * Whether it can be read and written, found out now.
   * @param msMax how long that may take, ms; CHECK_MS_MAX when absent
   */
  check(msMax?: number): Promise<Availability>;
  /** Calls back when the log can no longer be read or written, and when it can again. Returns how to stop. */
  onAvailability(listener: AvailabilityListener): () => void;
  /** A read may begin at any position, and costs no more there than elsewhere. Otherwise only near positions that are known. */
  readonly readsAnywhere?: boolean;
  /** Absent: every event is kept. */
  readonly history?: BoundedHistory;
  close(): Promise<void>;
}
