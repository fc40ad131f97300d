import type { StoreUser } from './access';
import type { Durability, EventStore, Payload } from '#libs/event-log';

export interface ServerTls {
  /** PEM: the server's certificate, and what signed it where that is not what clients trust. */
  certificate: string;
  /** PEM */
  key: string;
}

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
  /** Served over TLS; goes with `users`, as a password must not travel in the clear, nor TLS pretend that somebody is asked for one. */
  tls?: ServerTls;
  /** Who may use the server; nobody else reads or appends. Absent: everybody who reaches the port. */
  users?: readonly StoreUser[];
  /** A store that is open already, instead of folder and durability; it is not closed with the server. */
  store?: EventStore<Payload>;
}

export interface EventStoreServer {
  port: number;
  /** For the official clients: `esdb://…?tls=false`, or with `tls=true`, where clients add a user and, for a CA of one's own, `tlsCAFile`. */
  connectionString: string;
  /** Ends open calls so that their clients reconnect, waits a second at most, closes the store. */
  close(): Promise<void>;
}
