import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Availability, AvailabilityListener } from '../availability';
import { EventLogError } from '../errors';
import { EventStoreDbLog, type EventStoreDbOptions } from '../eventstoredb/event-store-db-log';
import type {
  AppendOptions,
  AppendResult,
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
import { EventStore } from '../store/event-store';
import { jsonCodec, JsonLog } from '../store/json-log';
import { watchCommits } from './commit-signal';
import { LOG_FILE, openSqliteEngine } from './open-engine';
import { jsonRows } from './row-codec';

export interface FollowedLogOptions extends EventStoreDbOptions {
  /** Folder of the file that the event store's process writes. */
  folder: string;
}

/** How often a follower looks for itself, should a signal have been lost, ms. */
const LOOK_INTERVAL_MS = 100;
/** The same where files cannot be watched: what a reaction to somebody else's event waits for at most. */
const LOOK_INTERVAL_UNWATCHED_MS = 5;

/**
 * The log of an event store on the same machine: appends go through the store's process, which alone writes; what has been
 * committed is read from its file, without a connection, and each event's JSON parsed once, where somebody asks for it.
 */
class FollowedLog implements EventLog {
  readonly readsAnywhere = true;

  constructor(
    private readonly appends: EventStoreDbLog,
    private readonly store: EventStore<RecordedEvent['data']>,
    private readonly reads: JsonLog,
    private readonly look: () => void,
  ) {}

  /** What the store has answered is in the file: this process folds it without waiting for the signal. */
  async append(
    stream: string,
    events: readonly EventToAppend[],
    expected: ExpectedRevision,
    options?: AppendOptions,
  ): Promise<AppendResult> {
    const result = await this.appends.append(stream, events, expected, options);
    // Often the signal of the commit has been here before the answer.
    if (!this.store.hasRead(result.position ?? Infinity)) this.look();
    return result;
  }

  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.reads.readStream(stream, options);
  }

  readAll(options?: ReadAllOptions): AsyncIterable<readonly RecordedEvent[]> {
    return this.reads.readAll(options);
  }

  subscribe(options: SubscribeOptions, handlers: SubscriptionHandlers): Subscription {
    this.store.noticeForeignCommits();
    return this.reads.subscribe(options, handlers);
  }

  head(filter?: EventFilter): Promise<Position | undefined> {
    return this.reads.head(filter);
  }

  /** The file can be read as long as it is there; whether the store takes appends, it has to be asked. */
  check(msMax?: number): Promise<Availability> {
    return this.appends.check(msMax);
  }

  onAvailability(listener: AvailabilityListener): () => void {
    return this.appends.onAvailability(listener);
  }

  async close(): Promise<void> {
    await this.appends.close();
    await this.reads.close();
  }
}

/**
 * Follows the file in `folder` beside the event store that writes it, and appends through that store.
 * @throws EventLogError when there is no log in the folder yet, or the connection string is none
 */
export async function openFollowedLog({ folder, ...options }: FollowedLogOptions): Promise<EventLog> {
  const appends = new EventStoreDbLog(options);
  const engine = await openSqliteEngine({ folder, readOnly: true }, jsonRows);
  const store = new EventStore(engine, { codec: jsonCodec, now: Date.now, commit: 'never' });
  let looks = false;
  /** Once for the signals and answers of one turn of the event loop. */
  const look = (): void => {
    if (looks) return;
    looks = true;
    setImmediate(() => {
      looks = false;
      store.foreignCommit();
    });
  };
  const unwatch = watchCommits(folder, look);
  const path = join(folder, LOG_FILE);
  const inode = inodeOf(path);
  const lookAgain = (): void => {
    if (inodeOf(path) === inode) store.noticeForeignCommits();
    else store.lose(new EventLogError(`the event log ${path} has been removed or replaced by another while it was followed`));
  };
  const timer = setInterval(lookAgain, unwatch ? LOOK_INTERVAL_MS : LOOK_INTERVAL_UNWATCHED_MS).unref();
  const onClose = (): void => {
    unwatch?.();
    clearInterval(timer);
  };
  return new FollowedLog(appends, store, new JsonLog(store, { yields: true, onClose }), look);
}

/** Undefined: there is no such file. */
function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
