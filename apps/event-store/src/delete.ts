import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { WrongExpectedRevisionError, type EventStore, type Payload } from '#libs/event-log';
import type { Gate } from './access';
import { InvalidArgument } from './invalid-request';
import { serviceError, WrongDeletion } from './refusals';
import { expectationOf } from './wire/expectation';
import type { DeleteRequestMessage } from './wire/messages';
import { streamName } from './wire/stream-names';

/** `Delete` hides a stream until it is written to again; `Tombstone` closes it for good. Here a wrong revision is an error. */
export function deleteHandler(store: EventStore<Payload>, kind: 'delete' | 'tombstone', gate: Gate) {
  const message = kind === 'delete' ? 'DeleteReq' : 'TombstoneReq';
  return (call: ServerUnaryCall<DeleteRequestMessage, object>, callback: sendUnaryData<object>): void => {
    const remove = async (): Promise<object> => {
      const caller = gate.caller(call.metadata);
      const { options } = call.request;
      if (!options) throw new InvalidArgument('options are required');
      const expectation = expectationOf(options, `${message}+Types+Options+ExpectedStreamRevisionOneofCase`);
      const stream = streamName(options.stream_identifier);
      gate.admit(caller, 'delete', stream);
      try {
        const { position } = await store[kind](stream, expectation.expected);
        return position === undefined ? { no_position: {} } : { position: { commit_position: position, prepare_position: position } };
      } catch (error) {
        if (error instanceof WrongExpectedRevisionError) throw new WrongDeletion(error, expectation.text);
        throw error;
      }
    };
    remove().then(
      (reply) => callback(null, reply),
      (error: unknown) => callback(serviceError(error), null),
    );
  };
}
