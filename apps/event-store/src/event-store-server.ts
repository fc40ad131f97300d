import type { EventStoreServer, EventStoreServerOptions } from './server-options';

export type { EventStoreServer, EventStoreServerOptions };

/**
 * Serves an event store by EventStoreDB's gRPC protocol.
 * @throws LogLockedError when another process writes to the folder; Error when the port is taken
 */
export async function startEventStoreServer(options: EventStoreServerOptions = {}): Promise<EventStoreServer> {
  const { listen } = await import('./server.js');
  return listen(options);
}
