import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import {
  AppendTooLargeError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type NewEvent,
  type Payload,
} from '#libs/event-log';
import { admit, type Gate } from './access';
import { InvalidArgument } from './invalid-request';
import { serviceError, wrongExpectedVersionReply } from './refusals';
import { newEvent } from './wire/events';
import type { AppendRequestMessage, WireExpectation, WireProposedMessage } from './wire/messages';
import { expectedRevision, streamName } from './wire/stream-names';

/**
 * Events of one append as they arrive, in one message or many. What exceeds the limit is not kept: only its size is, so
 * that a writer learns of it in the end and no writer can fill the memory.
 */
export class Collected {
  readonly events: NewEvent<Payload>[] = [];
  private bytes = 0;
  private problem: unknown;

  constructor(private readonly bytesMax: number) {}

  add(message: WireProposedMessage): void {
    this.bytes += (message.data?.length ?? 0) + (message.custom_metadata?.length ?? 0) + 1;
    if (this.bytes > this.bytesMax) this.events.length = 0;
    if (this.bytes > this.bytesMax || this.problem) return;
    try {
      this.events.push(newEvent(message));
    } catch (error) {
      this.problem = error;
    }
  }

  /** @throws what was wrong with any of the events */
  complete(): NewEvent<Payload>[] {
    if (this.bytes > this.bytesMax) throw new AppendTooLargeError(this.bytes, this.bytesMax);
    if (this.problem) throw this.problem;
    return this.events;
  }
}

/** `revision` and `position` as the replies of both kinds of append hold them. */
export function successReply({ revision, position }: AppendResult): object {
  return {
    ...(revision === undefined ? { no_stream: {} } : { current_revision: revision }),
    ...(position === undefined ? { no_position: {} } : { position: { commit_position: position, prepare_position: position } }),
  };
}

/** `Append`: the options, then an event a message; one answer. A wrong revision is an answer, other refusals end the call. */
export function appendHandler(store: EventStore<Payload>, bytesMax: number, gate: Gate) {
  return (call: ServerReadableStream<AppendRequestMessage, object>, callback: sendUnaryData<object>): void => {
    let options: WireExpectation | undefined;
    const collected = new Collected(bytesMax);
    let ended = false;
    const answer = (error: unknown, reply?: object): void => {
      if (ended) return;
      ended = true;
      if (error) callback(serviceError(error), null);
      else callback(null, reply);
    };
    call.on('data', (message: AppendRequestMessage) => {
      if (message.options) options = message.options;
      else if (message.proposed_message) collected.add(message.proposed_message);
    });
    call.on('error', (error) => answer(error));
    call.on('end', () => {
      void complete().then((reply) => answer(undefined, reply), answer);
    });
    async function complete(): Promise<object> {
      const caller = gate.caller(call.metadata);
      if (!options) throw new InvalidArgument('the first message of an append holds its options');
      try {
        const stream = streamName(options.stream_identifier);
        admit(caller, { stream });
        const result = await store.append(stream, collected.complete(), expectedRevision(options));
        return { success: successReply(result) };
      } catch (error) {
        if (error instanceof WrongExpectedRevisionError) return wrongExpectedVersionReply(error);
        throw error;
      }
    }
  };
}
