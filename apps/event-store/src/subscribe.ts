import { randomUUID } from 'node:crypto';
import {
  allCursor,
  Follower,
  streamCursor,
  StreamDeletedError,
  TOMBSTONE_REVISION,
  type Cursor,
  type EventStore,
  type FollowedPage,
  type Payload,
  type Position,
} from '#libs/event-log';
import { readEvent } from './read-event';
import type { ReadRequest, ReadTarget } from './read-request';
import type { ReplyStream } from './reply-stream';

function timestamp(now: number): object {
  return { seconds: Math.floor(now / 1000), nanos: (now % 1000) * 1e6 };
}

const wirePosition = (position: Position): { commit_position: number; prepare_position: number } => ({
  commit_position: position,
  prepare_position: position,
});

/** Starts are exclusive here: what follows is after them. */
function cursorOf(store: EventStore<Payload>, target: ReadTarget): Cursor<Payload> {
  if (target.kind === 'all') {
    return allCursor(store, target.from === 'start' ? 0 : target.from === 'end' ? store.lastPosition : target.from);
  }
  const { stream, from } = target;
  const head = store.headRevision(stream);
  if (head === TOMBSTONE_REVISION) throw new StreamDeletedError(stream);
  const first = from === 'start' ? 0 : from === 'end' ? (head ?? -1) + 1 : from + 1;
  return streamCursor(store, stream, first, () => new StreamDeletedError(stream));
}

/** Confirmation, history, caught up, then what comes, until the reader goes away. */
export class WireSubscription {
  private readonly follower: Follower<Payload>;
  /** Events looked at since the last checkpoint. */
  private scanned = 0;
  private last: Position = 0;

  constructor(
    private readonly store: EventStore<Payload>,
    private readonly request: ReadRequest,
    private readonly replies: ReplyStream,
  ) {
    const { target } = request;
    const cursor = cursorOf(store, target);
    void replies.write({ confirmation: { subscription_id: randomUUID() } });
    this.follower = new Follower(
      { store, cursor, stream: target.kind === 'stream' ? target.stream : undefined, yields: true },
      {
        page: (page) => this.deliver(page, 0),
        caughtUp: () => replies.write({ caught_up: this.caughtUp() }),
        failed: (error) => replies.fail(error),
      },
    );
  }

  close(): void {
    this.follower.close();
  }

  private caughtUp(): object {
    const now = timestamp(Date.now());
    const { target } = this.request;
    if (target.kind === 'all') return { timestamp: now, position: wirePosition(this.store.lastPosition) };
    return { timestamp: now, stream_revision: this.store.headRevision(target.stream) ?? -1 };
  }

  /** Sends the page from an event on; goes on by itself after a pause that the reader needed. */
  private deliver({ events }: FollowedPage<Payload>, from: number): Promise<void> | undefined {
    const { target } = this.request;
    for (let i = from; i < events.length; i++) {
      const event = events[i]!;
      this.last = event.position;
      let wait: Promise<void> | undefined;
      if (target.kind === 'stream' || !target.accept || target.accept(event.stream, event.type)) {
        wait = this.replies.write({ event: readEvent(this.store, event, this.request) });
      }
      wait = this.checkpoint(target) ?? wait;
      if (this.replies.ended) return undefined;
      if (wait) return wait.then(() => (this.replies.ended ? undefined : this.deliver({ events, scanned: 0, last: 0 }, i + 1)));
    }
    return undefined;
  }

  /** Tells a reader with a filter how far the log has been searched for it. */
  private checkpoint(target: ReadTarget): Promise<void> | undefined {
    if (target.kind !== 'all' || !target.accept) return undefined;
    this.scanned += 1;
    if (this.scanned < target.checkpointEvery) return undefined;
    this.scanned = 0;
    return this.replies.write({ checkpoint: { ...wirePosition(this.last), timestamp: timestamp(Date.now()) } });
  }
}
