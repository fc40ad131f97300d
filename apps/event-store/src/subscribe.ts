import { randomUUID } from 'node:crypto';
import {
  allCursor,
  Follower,
  streamCursor,
  StreamDeletedError,
  type Cursor,
  type EventStore,
  type FollowedPage,
  type Payload,
  type Position,
} from '#libs/event-log';
import { Checkpoints } from './checkpoints';
import { UnexpectedResult } from './invalid-request';
import { EventSender, type Replies } from './event-sender';
import { isPosition } from './read';
import type { AllTarget, ReadRequest, StreamTarget } from './read-request';
import { statusOf } from './refusals';
import type { Protocol } from './wire/protocol';

function timestamp(now: number): object {
  return { seconds: Math.floor(now / 1000), nanos: (now % 1000) * 1e6 };
}

/**
 * The position after which a subscription begins: its start is exclusive, and one beyond the end of the log counts as the end.
 * @throws UnexpectedResult for a position at which no event is
 */
function allStart(store: EventStore<Payload>, { from }: AllTarget): Position {
  const end = store.lastPosition;
  if (from === 'start' || from === 0n) return 0;
  if (from === 'end' || from > BigInt(end)) return end;
  if (!isPosition(store, Number(from))) throw new UnexpectedResult('Exception was thrown by handler.');
  return Number(from);
}

function streamStart(store: EventStore<Payload>, { stream, from }: StreamTarget): number | 'end' {
  if (from === 'end') return 'end';
  if (store.view(stream).status === 'deleted') throw new StreamDeletedError(stream);
  if (from === 'start') return 0;
  return from >= BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(from) + 1;
}

/** Confirmation, history, caught up, then what comes, until the reader goes away. */
export class WireSubscription {
  private readonly follower: Follower<Payload>;
  private readonly sender: EventSender;
  private readonly checkpoints: Checkpoints | undefined;
  private live = false;

  constructor(
    private readonly store: EventStore<Payload>,
    private readonly request: ReadRequest,
    private readonly replies: Replies,
    private readonly protocol: Protocol,
  ) {
    const { target } = request;
    const cursor = this.cursorOf(target);
    this.sender = new EventSender(store, request, replies);
    if (target.kind === 'all' && target.accept) {
      this.checkpoints = new Checkpoints(target.window, target.checkpointPages, target.from === 'start' || target.from === 0n);
    }
    this.tell({ confirmation: { subscription_id: randomUUID() } });
    void this.sender.flush();
    // With a search window of 0 events a subscription with a filter never moves on.
    const stands = target.kind === 'all' && target.window === 0 && target.from !== 'end';
    this.follower = new Follower(
      {
        store,
        cursor: stands ? { next: () => ({ events: [], scanned: 0, last: 0, waiting: true }) } : cursor,
        stream: target.kind === 'stream' ? target.stream : undefined,
        yields: true,
      },
      {
        page: (page) => this.deliver(page, 0),
        caughtUp: () => this.caughtUp(),
        failed: (error) => replies.end(statusOf(error)),
      },
    );
  }

  close(): void {
    this.follower.close();
  }

  private cursorOf(target: ReadRequest['target']): Cursor<Payload> {
    const { store } = this;
    if (target.kind === 'all') return allCursor(store, allStart(store, target));
    const { stream } = target;
    return streamCursor(store, stream, streamStart(store, target), () => new StreamDeletedError(stream));
  }

  private caughtUp(): Promise<void> | undefined {
    this.live = true;
    void this.checkpoint(this.checkpoints?.goLive());
    void this.tell({ caught_up: this.caughtUpAt() });
    return this.sender.flush();
  }

  private caughtUpAt(): object {
    const now = timestamp(Date.now());
    const { target } = this.request;
    if (target.kind === 'stream') return { timestamp: now, stream_revision: this.store.headRevision(target.stream) ?? -1 };
    const position = this.store.lastPosition;
    return { timestamp: now, position: { commit_position: position, prepare_position: position } };
  }

  /** Sends the page from an event on; goes on by itself after a pause that the reader needed. */
  private deliver(page: FollowedPage<Payload>, from: number): Promise<void> | undefined {
    const { target } = this.request;
    const { events } = page;
    const accept = target.kind === 'all' ? target.accept : undefined;
    for (let i = from; i < events.length; i++) {
      const event = events[i]!;
      const accepted = !accept || accept(event.stream, event.type);
      // A page of history that is full is told of before what comes after it.
      let wait = this.live ? undefined : this.checkpoint(this.checkpoints?.before(event.position));
      if (accepted) wait = this.sender.event(event) ?? wait;
      wait = this.checkpoint(this.checkpoints?.after(event.position, accepted)) ?? wait;
      if (this.replies.over) return undefined;
      if (wait) return wait.then(() => (this.replies.over ? undefined : this.deliver(page, i + 1)));
    }
    return this.sender.flush();
  }

  private tell(message: object): Promise<void> | undefined {
    return this.sender.encoded(this.protocol.readResponse(message));
  }

  /** Tells a reader with a filter how far the log has been searched for it. */
  private checkpoint(at: { commit: Position; prepare: Position } | undefined): Promise<void> | undefined {
    if (!at) return undefined;
    return this.tell({ checkpoint: { commit_position: at.commit, prepare_position: at.prepare, timestamp: timestamp(Date.now()) } });
  }
}
