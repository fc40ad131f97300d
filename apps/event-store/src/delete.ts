import { WrongExpectedRevisionError } from '#libs/event-log';
import type { CallHandler } from './grpc/grpc-server';
import { unary, type Method } from './grpc/methods';
import { InvalidArgument } from './invalid-request';
import { statusOf, WrongDeletion } from './refusals';
import type { Surroundings } from './surroundings';
import { expectationOf } from './wire/expectation';
import type { DeleteRequestMessage } from './wire/messages';
import { streamName } from './wire/stream-names';

/** `Delete` hides a stream until it is written to again; `Tombstone` closes it for good. Here a wrong revision is an error. */
export function deleteHandler(method: Method, kind: 'delete' | 'tombstone', { store, gate }: Surroundings): CallHandler {
  const message = kind === 'delete' ? 'DeleteReq' : 'TombstoneReq';
  return unary<DeleteRequestMessage>(method, statusOf, async ({ options }, call) => {
    const caller = gate.caller(call.headers);
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
  });
}
