import type { EventStoreDBClient } from '@eventstore/db-client';
import { EventLogError, LogUnavailableError } from '../errors';
import { acceptIpServerNames } from './ip-server-names';

/** The client waits for every call to end, and a broken one may not. */
const DISPOSE_MS_MAX = 500;

/**
 * The official client, loaded and created when it is first needed, and made anew when calls on it keep failing: some of its
 * failures it remembers for good.
 */
export class Connection {
  private client: Promise<EventStoreDBClient> | undefined;
  private closed = false;

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
      return module.EventStoreDBClient.connectionString(this.connectionString);
    });
    return this.client;
  }

  /** The next use makes a new client. */
  async renew(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    const disposed = client?.then((old) => old.dispose()).catch(() => undefined);
    await Promise.race([disposed, new Promise((resolve) => setTimeout(resolve, DISPOSE_MS_MAX).unref())]);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.renew();
  }
}
