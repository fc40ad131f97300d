import type { AllStreamSubscription, EventStoreDBClient, Filter } from '@eventstore/db-client';
import { LogUnavailableError } from '../errors';
import type { EventFilter, Position, RecordedEvent } from '../port';
import { acceptOf } from '../store/event-filter';
import type { Accept } from '../store/log-engine';
import type { Connection } from './connection';
import { clientPosition, positionOf, recordedEvent, type Resolved } from './conversion';
import { StreamReader } from './stream-reader';

export type FeedItem = { kind: 'events'; events: RecordedEvent[]; last: Position } | { kind: 'caught-up' };

const BATCH_MAX = 500;
/** Windows between two checkpoints. The server searches the log in windows of 32 events. */
const CHECKPOINT_INTERVAL = 32;
/** No stream is called this: a filter without prefixes accepts nothing. */
const NO_STREAM_PREFIX = '\u0001no stream';

export interface FeedOptions {
  connection: Connection;
  client: EventStoreDBClient;
  module: typeof import('@eventstore/db-client');
  /** Where the server begins. */
  after: Position | 'start';
  /** Events up to here are left out. */
  beyond: Position;
  filter: EventFilter | undefined;
  /** Told positions at which an event is. */
  note(position: Position): void;
  /** Told the last event of each batch received, whether the filter accepts it or not. */
  seen(position: Position, id: string): void;
}

/** One subscription to $all as a sequence of batches; it is not resumed, its failures are thrown. */
export class Feed {
  private readonly reader: StreamReader<Resolved>;
  private taken = 0;
  /** Number of events before the caught-up signal that is yet to be passed on. */
  private caughtUpAfter: number | undefined;
  private checkpointed: Position | undefined;

  private constructor(
    private readonly subscription: AllStreamSubscription,
    connection: Connection,
    private readonly accept: Accept,
    private readonly beyond: Position,
    private readonly note: (position: Position) => void,
    private readonly seen: (position: Position, id: string) => void,
  ) {
    this.reader = new StreamReader(subscription, connection);
    subscription.on('caughtUp', () => {
      // What was received before the signal is still in the buffer, and has to be delivered before it.
      this.caughtUpAfter = this.taken + this.reader.buffered;
      this.reader.wake();
    });
  }

  static open({ connection, client, module, after, beyond, filter, note, seen }: FeedOptions): Feed {
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
        filter: prefixes ? nameFilter(module, streamNames(prefixes, filter.exceptPrefixes), options) : module.excludeSystemEvents(options),
      },
      { highWaterMark: BATCH_MAX },
    );
    feed.current = new Feed(subscription, connection, acceptOf(filter), beyond, note, seen);
    return feed.current;
  }

  /** The last checkpoint: up to there nothing but what has been handed out fits the filter. Not always the position of an event. */
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
      if (!(await this.reader.more())) throw new LogUnavailableError('the event store ended the subscription');
    }
  }

  close(): Promise<void> {
    return this.reader.stop(() => this.subscription.unsubscribe());
  }

  private take(): FeedItem | undefined {
    const max = this.caughtUpAfter === undefined ? BATCH_MAX : Math.min(BATCH_MAX, this.caughtUpAfter - this.taken);
    const batch = this.reader.take(max);
    const last = batch[batch.length - 1];
    if (!last) return undefined;
    this.taken += batch.length;
    const events: RecordedEvent[] = [];
    for (const { event, commitPosition } of batch) {
      if (event && positionOf(commitPosition!) > this.beyond && this.accept(event.streamId, event.type)) events.push(recordedEvent(event));
    }
    const position = positionOf(last.commitPosition!);
    this.note(position);
    if (last.event) this.seen(position, last.event.id);
    return { kind: 'events', events, last: position };
  }

  private checkpoint(position: Position): void {
    if (this.reader.buffered > 0) return;
    this.checkpointed = position;
  }
}

/** Servers take prefixes or an expression, and exceptions only as part of one. What it lets through is looked at here again. */
function streamNames(prefixes: readonly string[], exceptions: readonly string[] = []): { prefixes: string[] } | { regex: string } {
  if (prefixes.length === 0) return { prefixes: [NO_STREAM_PREFIX] };
  if (exceptions.length === 0) return { prefixes: [...prefixes] };
  return { regex: `^(?!${exceptions.map(literal).join('|')})(?:${prefixes.map(literal).join('|')})` };
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, (character) => `\\${character}`);
}

/** The client's function takes one or the other, never a union of both. */
function nameFilter({ streamNameFilter }: FeedOptions['module'], names: ReturnType<typeof streamNames>, options: object): Filter {
  return 'regex' in names ? streamNameFilter({ ...names, ...options }) : streamNameFilter({ ...names, ...options });
}
