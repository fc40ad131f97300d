import type { EventStore, Payload } from '#libs/event-log';
import type { Gate } from './access';
import type { GrpcCall } from './grpc/grpc-call';
import type { Protocol } from './wire/protocol';

/** What the handlers of calls share. */
export interface Surroundings {
  store: EventStore<Payload>;
  /** Data of one append. */
  bytesMax: number;
  protocol: Protocol;
  gate: Gate;
  /** Told of each call that may stay open. */
  opened: (call: GrpcCall) => void;
}
