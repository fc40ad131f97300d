import type { StoreUser } from './access';
import type { EventStoreServer, EventStoreServerOptions, ServerTls } from './server-options';

export type { EventStoreServer, EventStoreServerOptions, ServerTls, StoreUser };

/**
 * Serves an event store by EventStoreDB's gRPC protocol.
 * @throws LogLockedError when another process writes to the folder; Error when the port is taken
 */
export async function startEventStoreServer(options: EventStoreServerOptions = {}): Promise<EventStoreServer> {
  const { listen } = await import('./server.js');
  return listen(options);
}
