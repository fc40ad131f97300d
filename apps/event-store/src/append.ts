import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import { WrongExpectedRevisionError, type EventStore, type Payload } from '#libs/event-log';
import type { Gate } from './access';
import { CollectedAppend, successReply } from './collected-append';
import { InvalidArgument } from './invalid-request';
import { serviceError, wrongExpectedVersionReply } from './refusals';
import { expectationOf, type Expectation } from './wire/expectation';
import type { AppendRequestMessage } from './wire/messages';
import { NO_NAME, streamName } from './wire/stream-names';

interface Begun extends Expectation {
  stream: string;
  collected: CollectedAppend;
}

/** `Append`: the options, then an event a message; one answer. A wrong revision is an answer, other refusals end the call. */
export function appendHandler(store: EventStore<Payload>, bytesMax: number, gate: Gate) {
  return (call: ServerReadableStream<AppendRequestMessage, object>, callback: sendUnaryData<object>): void => {
    let begun: Begun | undefined;
    let ended = false;
    const answer = (error: unknown, reply?: object): void => {
      if (ended) return;
      ended = true;
      if (error) callback(serviceError(error), null);
      else callback(null, reply);
    };
    call.on('data', (message: AppendRequestMessage) => {
      if (ended) return;
      try {
        receive(message);
      } catch (error) {
        answer(error);
      }
    });
    call.on('error', (error) => answer(error));
    call.on('end', () => {
      if (!ended) void complete().then((reply) => answer(undefined, reply), answer);
    });

    function receive({ options, proposed_message: event }: AppendRequestMessage): void {
      if (begun) {
        if (!event) throw new InvalidArgument('after the options an append holds events only');
        begun.collected.add(event);
        return;
      }
      const caller = gate.caller(call.metadata);
      if (!options) throw new InvalidArgument('the first message of an append holds its options');
      const stream = streamName(options.stream_identifier);
      if (stream === NO_NAME) throw new InvalidArgument(`${NO_NAME} is no name of a stream that can be written to`);
      gate.admit(caller, 'write', stream);
      const expectation = expectationOf(options, 'AppendReq+Types+Options+ExpectedStreamRevisionOneofCase');
      begun = { stream, ...expectation, collected: new CollectedAppend(bytesMax) };
    }

    async function complete(): Promise<object> {
      if (!begun) throw new InvalidArgument('an append begins with its options');
      const { stream, collected, expected } = begun;
      try {
        return { success: successReply(await store.append(stream, collected.events, expected)) };
      } catch (error) {
        if (error instanceof WrongExpectedRevisionError) return wrongExpectedVersionReply(error, begun);
        throw error;
      }
    }
  };
}
