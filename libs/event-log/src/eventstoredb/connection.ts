import type { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogError, LogUnavailableError } from '../errors';
import { acceptIpServerNames } from './ip-server-names';
import { withOwnConnection } from './own-connection';

/** Longest wait for the old client to be disposed of, ms: it waits for all its calls to end, and a broken one may never end. */
const DISPOSE_MS_MAX = 500;
/** Least time between two renewals, ms: of several users of a broken connection none throws away the client that another has just made. */
const RENEWAL_MS_MIN = 1_000;

/**
 * The official client, loaded and created when it is first needed, and made anew when calls on it keep failing: some of its
 * failures it remembers for good.
 */
export class Connection {
  private client: Promise<EventStoreDBClient> | undefined;
  private closed = false;
  private readonly readers = new Set<(error: Error) => void>();
  private renewedAt = -Infinity;
  /** Clients made so far, but for the first. */
  private generation = 0;

  constructor(private readonly connectionString: string) {
    if (!/^(esdb|kurrentdb)(\+discover)?:\/\//.test(connectionString)) {
      throw new EventLogError(
        `not an event store connection string, which begins with esdb://: ${connectionString.replace(/\/\/[^/?]*@/, '//…@')}`,
      );
    }
    if (/throwOnAppendFailure=false/i.test(connectionString)) {
      throw new EventLogError('throwOnAppendFailure=false hides the revision that an append found; leave it out');
    }
  }

  get isClosed(): boolean {
    return this.closed;
  }

  use(): Promise<EventStoreDBClient> {
    if (this.closed) return Promise.reject(new LogUnavailableError('the event log is closed'));
    this.client ??= import('@eventstore/db-client').then((module) => {
      if (!/[?&]tls=false/i.test(this.connectionString)) acceptIpServerNames();
      return module.EventStoreDBClient.connectionString(withOwnConnection(this.connectionString, this.generation));
    });
    return this.client;
  }

  /**
   * A reader of one of the client's streams, told before the client goes: the client ends its streams then as if they had come to
   * their end. Returns how to stop.
   */
  onRenewal(reader: (error: Error) => void): () => void {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  }

  /** The next use makes a new client; not when this one has just been made. */
  async renew(): Promise<void> {
    if (Date.now() - this.renewedAt >= RENEWAL_MS_MIN) await this.dispose();
  }

  private async dispose(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    this.renewedAt = Date.now();
    this.generation += 1;
    const error = new LogUnavailableError(
      this.closed ? 'the event log is closed' : 'the event store does not answer, its connection is made anew',
    );
    for (const reader of this.readers) reader(error);
    const disposed = client?.then((old) => old.dispose()).catch(() => undefined);
    await Promise.race([disposed, new Promise((resolve) => setTimeout(resolve, DISPOSE_MS_MAX).unref())]);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.dispose();
  }
}
