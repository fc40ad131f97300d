import type { Readable } from 'node:stream';
import type { EventStoreDBClient, StreamingRead } from '@eventstore/db-client';
import { LogUnavailableError } from '../errors';
import { isRetried, isStreamMissing, logError } from './client-errors';
import type { Connection } from './connection';
import type { Resolved } from './conversion';
import { StreamReader } from './stream-reader';

/** No page is longer. */
export const PAGE_EVENTS = 500;
const READ_RETRY_MS = 100;
/** Lets the client's stream hold a page. */
export const READABLE = { highWaterMark: PAGE_EVENTS };

/** Decides whether a failed call is tried again: then resolves after a pause; otherwise throws the error as one of the port's. */
export class Patience {
  private until: number;

  constructor(
    private readonly connection: Connection,
    private readonly giveUpAfterMs: number,
  ) {
    this.until = Date.now() + giveUpAfterMs;
  }

  renew(): void {
    this.until = Date.now() + this.giveUpAfterMs;
  }

  async after(error: unknown): Promise<void> {
    if (!isRetried(error) || this.connection.isClosed || Date.now() > this.until) throw logError(error);
    await new Promise((resolve) => setTimeout(resolve, READ_RETRY_MS));
  }
}

/**
 * The first event of a read of $all, tried once.
 * @throws the client's error; LogUnavailableError when there is no answer in time
 */
export async function readOne(
  connection: Connection,
  read: (client: EventStoreDBClient) => StreamingRead<Resolved>,
  msMax: number,
): Promise<Resolved | undefined> {
  const stream = read(await connection.use());
  const reader = new StreamReader<Resolved>(stream as unknown as Readable, connection);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LogUnavailableError(`the event store has not answered for ${msMax / 1000} s`)), msMax);
  });
  const first = async (): Promise<Resolved | undefined> => {
    for (let more = true; more; more = await reader.more()) for (const one of reader.take(1)) return one;
    return undefined;
  };
  try {
    return await Promise.race([first(), late]);
  } finally {
    clearTimeout(timer);
    late.catch(() => undefined);
    void reader.stop(() => stream.cancel());
  }
}

/**
 * Pages of a client's read. `read` is called again after a broken connection and must then begin where the last page ended.
 * A missing stream has no pages.
 */
export async function* pagesOf(
  connection: Connection,
  giveUpAfterMs: number,
  read: (client: EventStoreDBClient) => StreamingRead<Resolved>,
): AsyncGenerator<Resolved[]> {
  const patience = new Patience(connection, giveUpAfterMs);
  for (;;) {
    let stop: (() => Promise<void>) | undefined;
    try {
      const stream = read(await connection.use());
      const reader = new StreamReader<Resolved>(stream as unknown as Readable, connection);
      stop = () => reader.stop(() => stream.cancel());
      for (let more = true; more; more = await reader.more()) {
        for (let page = reader.take(PAGE_EVENTS); page.length > 0; page = reader.take(PAGE_EVENTS)) {
          yield page;
          patience.renew();
        }
      }
      return;
    } catch (error) {
      if (isStreamMissing(error)) return;
      await patience.after(error);
    } finally {
      await stop?.();
    }
  }
}
