import { AvailabilityMonitor, type Availability } from '../availability';
import { EventLogError, LogUnavailableError } from '../errors';
import type { AppendResult, ExpectedRevision, Position, Revision } from '../port';
import { CommittedTail } from './committed-tail';
import type { Accept, AllPage, Direction, EngineHistory, LogEngine } from './log-engine';
import { TOMBSTONE_REVISION, type NewEvent, type PayloadCodec, type StoredEvent } from './stored-event';
import { describedBy, firstReadable, lowestReadable, type StreamAcl } from './stream-settings';
import { StreamWriter, type WriteRequest } from './stream-writer';

/** Largest append, all its events' data, metadata and types together: that of EventStoreDB 24.10, so that every store takes what one took. */
export const APPEND_BYTES_MAX = 1024 * 1024;

const GROUP_EVENTS_MAX = 500;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

export interface EventStoreOptions<P> {
  codec: PayloadCodec<P>;
  /** Real time for `created` and `$maxAge`, ms since the epoch. */
  now: () => number;
  /**
   * immediate: each append is committed before the call returns (memory).
   * grouped: the appends of one turn of the event loop share a transaction (files; memory where others need turns of the loop).
   * never: another process writes; this one reads.
   */
  commit: 'immediate' | 'grouped' | 'never';
  /** Keep what was lately committed beside the engine: where reading it back costs more. */
  tail?: boolean;
  appendBytesMax?: number;
  positionStride?: number;
  emptyAppendsTakePositions?: boolean;
  /** Of a stream's name, in characters; default 32 Ki. */
  streamNameMax?: number;
}

/** How a stream stands for its readers. */
export interface StreamView {
  status: 'ok' | 'not-found' | 'deleted';
  /** Of the last event; -1: none was ever written. */
  head: Revision;
  /** First revision that may be read, exactly; beyond the head when none may. */
  lowest: bigint;
  /** As `lowest`, as a number. */
  first: Revision;
  /** Events written before that time, ms since the epoch, may not be read. */
  oldest: number | undefined;
}

export interface StreamPage<P> {
  status: 'ok' | 'not-found' | 'deleted';
  events: StoredEvent<P>[];
  /** Where the next page begins; undefined when there is none. */
  next: Revision | undefined;
}

/** Characters, unless the store is opened with another number; the API lets names have half of it. */
const STREAM_NAME_MAX = 32_768;
/** Half characters and NUL do not survive UTF-8 and SQLite unharmed. */
const UNSTORABLE = /[\p{Surrogate}\0]/u;

function nameProblem<P>(request: WriteRequest<P>, lengthMax: number): string | undefined {
  const { stream } = request;
  if (stream.length === 0 || stream.length > lengthMax) return `a stream name has 1 to ${lengthMax} characters, this one ${stream.length}`;
  if (UNSTORABLE.test(stream)) return `stream name ${JSON.stringify(stream)} is not valid Unicode text`;
  const bad = request.kind === 'append' ? request.events.find(({ id, type }) => UNSTORABLE.test(type) || UNSTORABLE.test(id)) : undefined;
  return bad && `event type ${JSON.stringify(bad.type)} or id ${JSON.stringify(bad.id)} is not valid Unicode text`;
}

interface Waiting<P> {
  request: WriteRequest<P>;
  resolve(result: AppendResult): void;
  reject(error: Error): void;
}

function unwritable(error: unknown): string {
  return `the event log could not write: ${(error as Error).message}`;
}

export type CommitListener = () => void;

/** An event store over a storage engine: expected revisions, idempotency, stream metadata, deletion, group commit, news of commits. */
export class EventStore<P> {
  /** In trouble while nothing can be written. */
  readonly monitor = new AvailabilityMonitor();
  private readonly writer: StreamWriter<P>;
  private readonly tail: CommittedTail<P> | undefined;
  private waiting: Waiting<P>[] = [];
  private waitingEvents = 0;
  private waitingBytes = 0;
  private closed = false;
  private readonly allListeners = new Set<CommitListener>();
  private readonly streamListeners = new Map<string, Set<CommitListener>>();
  private last: Position;
  /** There may be events after `last`, which another process has written. */
  private unread = false;
  /** What is remembered of streams may be older than what another process has written. */
  private isBehind = false;
  private lost: Error | undefined;

  constructor(
    private readonly engine: LogEngine<P>,
    private readonly options: EventStoreOptions<P>,
  ) {
    this.writer = new StreamWriter(engine, options.codec, { ...options, bytesMax: options.appendBytesMax ?? APPEND_BYTES_MAX });
    this.last = engine.lastPosition();
    this.tail = options.tail ? new CommittedTail(this.last) : undefined;
  }

  /** Of the last committed event; 0 when there is none. */
  get lastPosition(): Position {
    this.assertOpen();
    return this.last;
  }

  /** Beside the writing process: whether those who follow the log have been given everything up to the position. */
  hasRead(position: Position): boolean {
    return position <= this.last;
  }

  append(stream: string, events: readonly NewEvent<P>[], expected: ExpectedRevision): Promise<AppendResult> {
    // Nothing is written then, so it would succeed on a full disk; whoever sends it wants to know.
    const availability = events.length === 0 && !this.closed ? this.check() : undefined;
    if (availability?.available === false) return Promise.reject(new LogUnavailableError(availability.reason));
    return this.submit({ kind: 'append', stream, events, expected, encoded: this.engine.encode(events) });
  }

  /** Hides the stream's events until it is written to again. */
  delete(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    return this.submit({ kind: 'delete', stream, expected });
  }

  /** Closes the stream for good. */
  tombstone(stream: string, expected: ExpectedRevision): Promise<AppendResult> {
    return this.submit({ kind: 'tombstone', stream, expected });
  }

  /** Revision of the last event written, hidden or not; undefined when none ever was. */
  headRevision(stream: string): Revision | undefined {
    this.assertOpen();
    const { head } = this.writer.head(stream);
    return head < 0 ? undefined : head;
  }

  /** Metadata as they hold now. */
  view(stream: string): StreamView {
    this.assertOpen();
    const { head, settings } = this.writer.head(stream);
    const status = head === TOMBSTONE_REVISION ? 'deleted' : head < 0 || settings?.softDeleted ? 'not-found' : 'ok';
    const oldest = settings?.maxAgeMs === undefined ? undefined : this.options.now() - settings.maxAgeMs;
    return { status, head, lowest: lowestReadable(settings, head), first: firstReadable(settings, head), oldest };
  }

  /** Who may do what with the stream, as its metadata say. */
  acl(stream: string): StreamAcl | undefined {
    this.assertOpen();
    return this.writer.head(stream).settings?.acl;
  }

  /** Events of a stream from a revision up, whatever its metadata say; the last of a tombstoned stream is its tombstone. */
  readEvery(stream: string, from: Revision, limit: number): StoredEvent<P>[] {
    this.assertOpen();
    return this.engine.readStream(stream, from, limit, 'forwards');
  }

  /** One page of what stream metadata lets a reader see. */
  readStream(stream: string, from: Revision | 'start' | 'end', limit: number, direction: Direction): StreamPage<P> {
    const { status, head, first, oldest } = this.view(stream);
    if (status !== 'ok') return { status, events: [], next: undefined };
    const forwards = direction === 'forwards';
    const asked = from === 'start' ? 0 : from === 'end' ? (forwards ? head + 1 : head) : from;
    const begin = forwards ? Math.max(asked, first) : Math.min(asked, head);
    const available = forwards ? head - begin + 1 : begin - first + 1;
    if (available <= 0 || limit <= 0) return { status, events: [], next: undefined };
    const found = this.engine.readStream(stream, begin, Math.min(limit, available), direction);
    const last = found[found.length - 1];
    const next = last === undefined ? undefined : forwards ? last.revision + 1 : last.revision - 1;
    return {
      status,
      events: oldest === undefined ? found : found.filter((event) => event.created >= oldest),
      next: next === undefined || (forwards ? next > head : next < first) ? undefined : next,
    };
  }

  /** Events after a position, oldest first; those lately committed come from memory. */
  readAfter(position: Position, scanMax: number, accept?: Accept): AllPage<P> {
    if (this.closed) throw new LogUnavailableError('the event log is closed');
    if (this.options.commit === 'never') return this.readForeign(position, scanMax, accept);
    const recent = this.tail?.after(position, scanMax);
    if (!recent) return this.engine.readAll(position + 1, scanMax, 'forwards', accept);
    const last = recent[recent.length - 1]?.position ?? position;
    const events = accept ? recent.filter((event) => accept(event.stream, event.type)) : recent;
    return { events, scanned: recent.length, last };
  }

  readAll(from: Position, scanMax: number, direction: Direction, accept?: Accept): AllPage<P> {
    this.assertOpen();
    return this.engine.readAll(from, scanMax, direction, accept);
  }

  /** Absent: every event is kept. */
  get history(): EngineHistory<P> | undefined {
    return this.engine.history;
  }

  /** Calls back after each commit; with a stream, after those that wrote to it or to its metadata. Returns how to stop. */
  onCommit(stream: string | undefined, listener: CommitListener): () => void {
    if (stream === undefined) {
      this.allListeners.add(listener);
      return () => this.allListeners.delete(listener);
    }
    const listeners = this.streamListeners.get(stream) ?? new Set();
    this.streamListeners.set(stream, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.streamListeners.delete(stream);
    };
  }

  /** Whether it can be written to. While it could not lately, a write that is no event tries again. */
  check(): Availability {
    if (this.closed) return { available: false, reason: 'the event log is closed' };
    if (this.monitor.isWell('writes')) return this.monitor.current;
    try {
      this.engine.probe?.();
      this.monitor.well('writes');
    } catch (error) {
      this.monitor.trouble('writes', unwritable(error));
    }
    return this.monitor.current;
  }

  close(): void {
    if (this.closed) return;
    this.flush();
    this.closed = true;
    this.engine.close();
  }

  /** The page read beside the writing process. Each look at the file is a transaction there, so none is made where no event can be. */
  private readForeign(position: Position, scanMax: number, accept?: Accept): AllPage<P> {
    if (this.lost) throw this.lost;
    if (position >= this.last && !this.unread) return { events: [], scanned: 0, last: position };
    const page = this.engine.readAll(position + 1, scanMax, 'forwards', accept);
    if (page.scanned === 0) this.unread = false;
    else if (page.last > this.last) {
      this.last = page.last;
      this.isBehind = true;
    }
    return page;
  }

  /** For readers beside the writing process: what they follow is not the log any more. Ends what follows it. */
  lose(error: Error): void {
    if (this.lost) return;
    this.lost = error;
    this.foreignCommit();
  }

  /** For readers beside the writing process who have been told of a commit: wakes those who follow the log. */
  foreignCommit(): void {
    if (this.closed) return;
    this.unread = true;
    this.isBehind = true;
    this.wake();
  }

  private wake(): void {
    for (const listener of this.allListeners) listener();
    for (const listeners of this.streamListeners.values()) for (const listener of listeners) listener();
  }

  /** For readers beside the writing process: takes note of what it has committed and wakes who waits for it. */
  noticeForeignCommits(): void {
    if (this.closed) return;
    const last = this.engine.lastPosition();
    if (last === this.last) return;
    this.last = last;
    this.isBehind = true;
    this.wake();
  }

  private assertOpen(): void {
    if (this.closed) throw new LogUnavailableError('the event log is closed');
    if (this.options.commit !== 'never') return;
    this.noticeForeignCommits();
    if (this.isBehind) this.writer.abandon();
    this.isBehind = false;
  }

  private submit(request: WriteRequest<P>): Promise<AppendResult> {
    if (this.closed) return Promise.reject(new LogUnavailableError('the event log is closed'));
    if (this.options.commit === 'never') return Promise.reject(new LogUnavailableError('the event log was opened for reading only'));
    const invalid = nameProblem(request, this.options.streamNameMax ?? STREAM_NAME_MAX);
    if (invalid) return Promise.reject(new EventLogError(invalid));
    return new Promise((resolve, reject) => {
      this.waiting.push({ request, resolve, reject });
      this.waitingEvents += request.kind === 'append' ? request.events.length : 1;
      this.waitingBytes += request.kind === 'append' ? request.encoded.bytes : 0;
      if (this.options.commit === 'immediate' || this.waitingEvents >= GROUP_EVENTS_MAX || this.waitingBytes >= GROUP_BYTES_MAX)
        this.flush();
      else if (this.waiting.length === 1) setImmediate(() => this.flush());
    });
  }

  /** Commits what is waiting in one transaction; subscribers hear of it before the writers do. */
  private flush(): void {
    const group = this.waiting;
    if (group.length === 0 || this.closed) return;
    const bytes = this.waitingBytes;
    this.waiting = [];
    this.waitingEvents = 0;
    this.waitingBytes = 0;
    let outcomes: (AppendResult | EventLogError)[];
    // What came with the groups before has been delivered by now.
    this.engine.history?.trim();
    try {
      outcomes = this.commit(group);
    } catch (error) {
      this.writer.abandon();
      const failure = new LogUnavailableError(unwritable(error), { cause: error });
      this.monitor.trouble('writes', failure.message);
      for (const { reject } of group) reject(failure);
      return;
    }
    this.monitor.well('writes');
    this.announce(this.writer.written, bytes);
    group.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i]!;
      if (outcome instanceof EventLogError) reject(outcome);
      else resolve(outcome);
    });
  }

  private commit(group: readonly Waiting<P>[]): (AppendResult | EventLogError)[] {
    const outcomes: (AppendResult | EventLogError)[] = [];
    this.writer.begin();
    this.engine.transaction(() => {
      for (const { request } of group) {
        try {
          const before = this.writer.written.length;
          outcomes.push(this.writer.write(request));
          const count = this.writer.written.length - before;
          if (count > 0) this.engine.appended?.(count, request.kind === 'append' ? request.encoded.bytes : 0);
        } catch (error) {
          if (!(error instanceof EventLogError)) throw error;
          outcomes.push(error);
        }
      }
    });
    return outcomes;
  }

  private announce(written: readonly StoredEvent<P>[], bytes: number): void {
    const last = written[written.length - 1];
    if (!last) return;
    this.last = last.position;
    this.tail?.push(written, bytes);
    for (const listener of this.allListeners) listener();
    if (this.streamListeners.size === 0) return;
    const streams = new Set(written.map((event) => event.stream));
    for (const stream of streams) streams.add(describedBy(stream) ?? stream);
    for (const stream of streams) for (const listener of this.streamListeners.get(stream) ?? []) listener();
  }
}
