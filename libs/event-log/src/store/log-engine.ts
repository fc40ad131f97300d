import type { Position, Revision } from '../port';
import type { NewEvent, Payload, StoredEvent } from './stored-event';

export type Direction = 'forwards' | 'backwards';
export type Accept = (stream: string, type: string) => boolean;

/** An append as the engine will write it: two payloads an event (data, metadata), absent where the engine keeps objects. */
export interface EncodedAppend {
  /** Data, metadata and type of all events; the figure that the append limit is about. */
  bytes: number;
  payloads?: readonly Payload[];
}

export interface AllPage<P> {
  events: StoredEvent<P>[];
  /** Events looked at, accepted or not; 0 means that there was nothing further. */
  scanned: number;
  /** Position of the last event looked at. */
  last: Position;
}

export interface EventPlace {
  id: string;
  stream: string;
  revision: Revision;
  position: Position;
}

/** What the store asks of a storage engine. All calls are synchronous: one thread writes, and a page is read in well under a millisecond. */
export interface LogEngine<P> {
  /** Of the last event stored; 0 when there is none. */
  lastPosition(): Position;
  encode(events: readonly NewEvent<P>[]): EncodedAppend;
  /** Runs `work`; durable (as the engine was opened) when it returns, without trace when it throws. */
  transaction(work: () => void): void;
  /** Writes something that is no event, durable when it returns; throws when nothing can be written. Absent: there is nothing to fail. */
  probe?(): void;
  insert(event: StoredEvent<P>, data: Payload | undefined, metadata: Payload | undefined): void;
  /** An append is complete; `bytes` as `encode` counted them. Only engines that keep a bounded history care. */
  appended?(events: number, bytes: number): void;
  /** The newest events without their payloads, newest first. */
  recent(limit: number): EventPlace[];
  headRevision(stream: string): Revision | undefined;
  /** Forwards: revisions from `from` up; backwards: from `from` down. */
  readStream(stream: string, from: Revision, limit: number, direction: Direction): StoredEvent<P>[];
  /** Forwards: positions from `from` (inclusive) up; backwards: below `from` (exclusive). Looks at no more than `scanMax` events. */
  readAll(from: Position, scanMax: number, direction: Direction, accept?: Accept): AllPage<P>;
  close(): void;
  /** Absent: every event is kept. */
  readonly history?: EngineHistory<P>;
}

/** The port's `BoundedHistory`, for any payload. */
export interface EngineHistory<P> {
  readonly forgotten: Position;
  onForget(listener: (events: readonly StoredEvent<P>[]) => void): void;
  /** Lets go of the oldest appends beyond the bound. */
  trim(): void;
}
