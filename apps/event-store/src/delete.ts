import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { EventStore, Payload } from '#libs/event-log';
import { admit, type Gate } from './access';
import { InvalidArgument } from './invalid-request';
import { serviceError } from './refusals';
import type { DeleteRequestMessage } from './wire/messages';
import { expectedRevision, streamName } from './wire/stream-names';

/** `Delete` hides a stream until it is written to again; `Tombstone` closes it for good. Here a wrong revision is an error. */
export function deleteHandler(store: EventStore<Payload>, kind: 'delete' | 'tombstone', gate: Gate) {
  return (call: ServerUnaryCall<DeleteRequestMessage, object>, callback: sendUnaryData<object>): void => {
    const remove = async (): Promise<object> => {
      const caller = gate.caller(call.metadata);
      const { options } = call.request;
      if (!options) throw new InvalidArgument('options are required');
      const stream = streamName(options.stream_identifier);
      admit(caller, { stream });
      const { position } = await store[kind](stream, expectedRevision(options));
      return position === undefined ? { no_position: {} } : { position: { commit_position: position, prepare_position: position } };
    };
    remove().then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(serviceError(error), null),
    );
  };
}
