import type { AllStreamSubscription, EventStoreDBClient } from '@eventstore/db-client';
import { LogUnavailableError } from '../errors';
import type { EventFilter, Position, RecordedEvent } from '../port';
import { acceptOf } from '../store/event-filter';
import type { Accept } from '../store/log-engine';
import { clientPosition, positionOf, recordedEvent, type ClientEvent } from './conversion';

export type FeedItem = { kind: 'events'; events: RecordedEvent[]; last: Position } | { kind: 'caught-up' };

const BATCH_MAX = 500;
/** Search windows of 32 records between two checkpoints. */
const CHECKPOINT_INTERVAL = 32;
/** No stream is called this: a filter without prefixes accepts nothing. */
const NO_STREAM_PREFIX = '\u0001no stream';

/** One subscription to $all as a sequence of batches; it is not resumed, its failures are thrown. */
export class Feed {
  private readonly accept: Accept;
  private taken = 0;
  /** Number of events before the caught-up signal that is yet to be passed on. */
  private caughtUpAfter: number | undefined;
  private failure: Error | undefined;
  private signal: (() => void) | undefined;
  private checkpointed: Position | undefined;

  private constructor(
    private readonly subscription: AllStreamSubscription,
    filter: EventFilter | undefined,
  ) {
    this.accept = acceptOf(filter);
    const wake = (): void => this.signal?.();
    subscription
      .on('readable', wake)
      // What was received before the signal is still in the buffer, and has to be delivered before it.
      .on('caughtUp', () => {
        this.caughtUpAfter = this.taken + subscription.readableLength;
        wake();
      })
      .on('error', (error) => {
        this.failure ??= error;
        wake();
      })
      .on('close', () => {
        this.failure ??= new LogUnavailableError('the event store ended the subscription');
        wake();
      });
  }

  static open(
    client: EventStoreDBClient,
    after: Position | 'start',
    filter: EventFilter | undefined,
    module: typeof import('@eventstore/db-client'),
  ): Feed {
    const feed: { current?: Feed } = {};
    const checkpointReached = (_subscription: unknown, position: { commit: bigint }): Promise<void> => {
      feed.current?.checkpoint(positionOf(position.commit));
      return Promise.resolve();
    };
    const prefixes = filter?.streamPrefixes;
    const options = { checkpointInterval: CHECKPOINT_INTERVAL, checkpointReached };
    const subscription = client.subscribeToAll(
      {
        fromPosition: after === 'start' ? module.START : clientPosition(after),
        filter: prefixes
          ? module.streamNameFilter({ prefixes: prefixes.length > 0 ? [...prefixes] : [NO_STREAM_PREFIX], ...options })
          : module.excludeSystemEvents(options),
      },
      { highWaterMark: BATCH_MAX },
    );
    feed.current = new Feed(subscription, filter);
    return feed.current;
  }

  /** Position up to which everything has been handed out: an event's or, between events, a checkpoint's. */
  get searched(): Position | undefined {
    return this.checkpointed;
  }

  /** @throws the client's error when the subscription breaks */
  async next(): Promise<FeedItem> {
    for (;;) {
      if (this.caughtUpAfter !== undefined && this.taken >= this.caughtUpAfter) {
        this.caughtUpAfter = undefined;
        return { kind: 'caught-up' };
      }
      const batch = this.take();
      if (batch) return batch;
      if (this.failure) throw this.failure;
      await new Promise<void>((resolve) => {
        this.signal = resolve;
      });
      this.signal = undefined;
    }
  }

  async close(): Promise<void> {
    this.failure ??= new LogUnavailableError('closed');
    this.signal?.();
    await this.subscription.unsubscribe().catch(() => undefined);
  }

  private take(): FeedItem | undefined {
    const events: RecordedEvent[] = [];
    let last: Position | undefined;
    const max = this.caughtUpAfter === undefined ? BATCH_MAX : Math.min(BATCH_MAX, this.caughtUpAfter - this.taken);
    for (let count = 0; count < max; count++) {
      const resolved = this.subscription.read() as { event?: ClientEvent; commitPosition?: bigint } | null;
      if (resolved === null) break;
      this.taken += 1;
      const { event } = resolved;
      if (resolved.commitPosition !== undefined) last = positionOf(resolved.commitPosition);
      if (event && this.accept(event.streamId, event.type)) events.push(recordedEvent(event));
    }
    if (last === undefined) return undefined;
    return { kind: 'events', events, last };
  }

  private checkpoint(position: Position): void {
    if (this.subscription.readableLength === 0) this.checkpointed = position;
  }
}
