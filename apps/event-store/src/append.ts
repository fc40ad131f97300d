import { WrongExpectedRevisionError } from '#libs/event-log';
import { CollectedAppend, successReply } from './collected-append';
import type { CallHandler } from './grpc/grpc-server';
import { decoded, type Method } from './grpc/methods';
import { InvalidArgument } from './invalid-request';
import { statusOf, wrongExpectedVersionReply } from './refusals';
import type { Surroundings } from './surroundings';
import { expectationOf, type Expectation } from './wire/expectation';
import type { AppendRequestMessage } from './wire/messages';
import { NO_NAME, streamName } from './wire/stream-names';

interface Begun extends Expectation {
  stream: string;
  collected: CollectedAppend;
}

/** `Append`: the options, then an event a message; one answer. A wrong revision is an answer, other refusals end the call. */
export function appendHandler(method: Method, { store, bytesMax, gate }: Surroundings): CallHandler {
  return (call) => {
    let begun: Begun | undefined;
    call.listen({
      message(bytes) {
        try {
          receive(decoded<AppendRequestMessage>(method, bytes));
        } catch (error) {
          call.end(statusOf(error));
        }
      },
      ended() {
        complete().then(
          (reply) => {
            void call.write(method.responseSerialize(reply));
            call.end();
          },
          (error: unknown) => call.end(statusOf(error)),
        );
      },
    });

    function receive({ options, proposed_message: event }: AppendRequestMessage): void {
      if (begun) {
        if (!event) throw new InvalidArgument('after the options an append holds events only');
        begun.collected.add(event);
        return;
      }
      const caller = gate.caller(call.headers);
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
