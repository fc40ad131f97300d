import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, type JSONEventData, type JSONType } from '@eventstore/db-client';
import { startEventStoreServer, type EventStoreServer, type EventStoreServerOptions } from '../event-store-server';

/** A server and the unmodified official client at it. */
export interface StoreFixture {
  server: EventStoreServer;
  client: EventStoreDBClient;
  close(): Promise<void>;
}

export async function openStore(options: EventStoreServerOptions = {}): Promise<StoreFixture> {
  const server = await startEventStoreServer(options);
  const client = EventStoreDBClient.connectionString(server.connectionString);
  return {
    server,
    client,
    async close() {
      await client.dispose();
      await server.close();
    },
  };
}

export function happened(data: JSONType = {}, type = 'Happened', id: string = randomUUID()): JSONEventData {
  return jsonEvent({ id: id as ReturnType<typeof randomUUID>, type, data });
}

export function counted(count: number): JSONEventData[] {
  return Array.from({ length: count }, (_, i) => happened({ i }, 'Counted'));
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The numbers of counted events, as a read gave them. */
export async function numbers(read: AsyncIterable<{ event?: { data: unknown } }>): Promise<unknown[]> {
  return (await all(read)).map(({ event }) => (event?.data as { i?: number } | undefined)?.i);
}

export async function failure<T = Error>(promise: Promise<unknown>): Promise<T> {
  try {
    await promise;
  } catch (error) {
    return error as T;
  }
  throw new Error('expected a refusal, but it succeeded');
}
