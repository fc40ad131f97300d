import type { Durability, EventStore, Payload } from '#libs/event-log';

export interface EventStoreServerOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** 0, the default: any free one. */
  port?: number;
  /** Where the events are kept; absent: in memory. */
  folder?: string;
  durability?: Durability;
  /** Default 1 MiB, as EventStoreDB 24.10. */
  appendBytesMax?: number;
  /** Refuse positions at which no event is, as EventStoreDB does; by default any position will do. To test clients with. */
  strictPositions?: boolean;
  /** A store that is open already, instead of folder and durability; it is not closed with the server. */
  store?: EventStore<Payload>;
}

export interface EventStoreServer {
  port: number;
  /** For the official clients: `esdb://…?tls=false`. */
  connectionString: string;
  /** Ends open calls so that their clients reconnect, waits a second at most, closes the store. */
  close(): Promise<void>;
}
