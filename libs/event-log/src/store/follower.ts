import type { Position, Revision } from '../port';
import { HistoryForgottenError } from '../errors';
import type { EventStore } from './event-store';
import type { Accept } from './log-engine';
import { TOMBSTONE_REVISION, type StoredEvent } from './stored-event';

/** Events looked at between two deliveries; a page of a port is no larger. */
export const PAGE_EVENTS = 500;

export interface FollowedPage<P> {
  /** Those accepted. */
  events: readonly StoredEvent<P>[];
  /** How many were looked at. */
  scanned: number;
  /** Position of the last one looked at. */
  last: Position;
  /** There is nothing to follow yet: with nothing looked at, this is not the head. */
  waiting?: boolean;
}

/** A place in a stream or in $all that moves on with every page. */
export interface Cursor<P> {
  next(): FollowedPage<P>;
}

/** The events of $all after a position, oldest first; those that `accept` takes, or all. */
export function allCursor<P>(store: EventStore<P>, after: Position, accept?: Accept): Cursor<P> {
  let position = after;
  return {
    next() {
      const forgotten = store.history?.forgotten ?? 0;
      if (position < forgotten) throw new HistoryForgottenError(position, forgotten);
      const page = store.readAfter(position, PAGE_EVENTS, accept);
      // A look that found nothing moves nothing: what comes next may have any later position.
      if (page.scanned > 0) position = page.last;
      return page;
    },
  };
}

/**
 * Events of a stream from a revision on: history as the stream's metadata let a reader see it, from the head on everything
 * that is written, a tombstone too. A stream that is not there, or is deleted, is waited for.
 * @param from 'end': what is written from now on
 * @throws whatever `deleted` makes, once the stream has been closed for good and its tombstone delivered
 */
export function streamCursor<P>(store: EventStore<P>, stream: string, from: Revision | 'end', deleted: () => Error): Cursor<P> {
  let live = from === 'end';
  let revision: Revision = from === 'end' ? store.view(stream).head + 1 : from;
  let closed = false;
  const everything = (): FollowedPage<P> => {
    if (closed) throw deleted();
    const events = store.readEvery(stream, revision, PAGE_EVENTS);
    const last = events[events.length - 1];
    if (last) revision = last.revision + 1;
    closed = last?.revision === TOMBSTONE_REVISION;
    return { events, scanned: events.length, last: last?.position ?? 0 };
  };
  return {
    next() {
      if (live) return everything();
      const { status, head } = store.view(stream);
      if (status === 'deleted') throw deleted();
      if (status === 'not-found') return { events: [], scanned: 0, last: 0, waiting: true };
      let page = store.readStream(stream, revision, PAGE_EVENTS, 'forwards');
      // A page may be empty because all its events have aged out.
      while (page.events.length === 0 && page.next !== undefined) page = store.readStream(stream, page.next, PAGE_EVENTS, 'forwards');
      const last = page.events[page.events.length - 1];
      if (last) revision = last.revision + 1;
      else {
        live = true;
        // What is before the revision that was asked for is not delivered, live neither.
        revision = Math.max(revision, head + 1);
      }
      return { events: page.events, scanned: page.events.length, last: last?.position ?? 0 };
    },
  };
}

export interface FollowSink<P> {
  /** Never called again before a returned promise settles. */
  page(page: FollowedPage<P>): void | Promise<void>;
  /** The cursor has reached the head for the first time. */
  caughtUp(): void | Promise<void>;
  failed(error: Error): void;
}

export interface FollowOptions<P> {
  store: EventStore<P>;
  cursor: Cursor<P>;
  /** Woken only by commits to this stream; undefined: by all. */
  stream?: string;
  /** Let other work of the process run between pages of history; off where turns of the event loop must not be taken. */
  yields: boolean;
}

/**
 * Drives a cursor: history page by page, then what is committed, one page in flight at a time. Starts and resumes in
 * microtasks, so the order of deliveries depends on nothing but the order of commits.
 */
export class Follower<P> {
  private closed = false;
  private running = true;
  private live = false;
  private readonly stopListening: () => void;

  constructor(
    private readonly options: FollowOptions<P>,
    private readonly sink: FollowSink<P>,
  ) {
    this.stopListening = options.store.onCommit(options.stream, () => this.wake());
    queueMicrotask(this.run);
  }

  close(): void {
    this.closed = true;
    this.stopListening();
  }

  private wake(): void {
    if (this.running || this.closed) return;
    this.running = true;
    queueMicrotask(this.run);
  }

  private readonly run = (): void => {
    try {
      while (!this.closed) {
        const page = this.options.cursor.next();
        if (page.scanned === 0 && (this.live || page.waiting)) {
          this.running = false;
          return;
        }
        if (this.deliver(page)) return;
      }
    } catch (error) {
      this.fail(error);
    }
  };

  /** True when the run goes on later. */
  private deliver(page: FollowedPage<P>): boolean {
    const reachedHead = page.scanned === 0;
    if (reachedHead) this.live = true;
    const settled = reachedHead ? this.sink.caughtUp() : this.sink.page(page);
    if (settled) {
      settled.then(this.run, (error: unknown) => this.fail(error));
      return true;
    }
    if (this.options.yields && !this.live) {
      setImmediate(this.run);
      return true;
    }
    return false;
  }

  private fail(error: unknown): void {
    if (this.closed) return;
    this.close();
    this.sink.failed(error instanceof Error ? error : new Error(String(error)));
  }
}
