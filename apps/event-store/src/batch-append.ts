import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { EventStore, Payload } from '#libs/event-log';
import { admit, type Caller, type Gate } from './access';
import { Collected, successReply } from './append';
import { DeadlinePassed, InvalidArgument } from './invalid-request';
import { batchStatus } from './refusals';
import { ReplyStream } from './reply-stream';
import type { BatchAppendOptions, BatchAppendRequestMessage } from './wire/messages';
import type { Protocol } from './wire/protocol';
import { expectedRevision, streamIdentifier, streamName } from './wire/stream-names';
import { uuidText, wireUuid } from './wire/uuid';

/** Appends that a client has begun and not finished on one call; a client sends one after the other, so this is generous. */
const UNFINISHED_MAX = 1000;

interface Unfinished {
  options: BatchAppendOptions;
  collected: Collected;
  /** Real time, ms since the epoch. */
  deadline: number;
}

function deadlineOf({ deadline_21_10_0: until, deadline: within }: BatchAppendOptions, now: number): number {
  const ms = (time: { seconds?: string; nanos?: number }): number => Number(time.seconds ?? 0) * 1000 + (time.nanos ?? 0) / 1e6;
  if (until) return ms(until);
  return within ? now + ms(within) : Infinity;
}

type Call = ServerDuplexStream<BatchAppendRequestMessage, object>;

/**
 * `BatchAppend`: one long call a client, many appends on it, matched by correlation. Each append is answered by itself;
 * a bad one never ends the call. They are committed in the order in which they became complete.
 */
export function batchAppendHandler(
  store: EventStore<Payload>,
  bytesMax: number,
  protocol: Protocol,
  opened: (replies: ReplyStream) => () => void,
  gate: Gate,
) {
  return (call: Call): void => {
    let caller: Caller = 'nobody';
    const unfinished = new Map<string, Unfinished>();
    let open = 0;
    let closing = false;
    let forget: () => void = () => undefined;
    const replies = new ReplyStream(call, () => forget());
    forget = opened(replies);
    try {
      caller = gate.caller(call.metadata);
    } catch (error) {
      replies.fail(error);
      return;
    }
    const answer = (reply: object): void => {
      open -= 1;
      const wait = replies.write(reply);
      // A client that does not read its answers is not listened to.
      if (wait && !call.isPaused()) {
        call.pause();
        void wait.then(() => call.resume());
      }
      if (closing && open === 0) replies.end();
    };
    call.on('data', (message: BatchAppendRequestMessage) => {
      try {
        receive(message);
      } catch (error) {
        replies.fail(error);
      }
    });
    call.on('error', () => replies.end());
    call.on('end', () => {
      closing = true;
      if (open === 0) replies.end();
    });

    /** @throws InvalidArgument when the message cannot be matched to an append, so that nobody could be answered */
    function receive(message: BatchAppendRequestMessage): void {
      const correlation = uuidText(message.correlation_id, 'correlation id');
      let append = unfinished.get(correlation);
      if (!append) {
        if (!message.options) throw new InvalidArgument('the first message of an append holds its options');
        if (unfinished.size >= UNFINISHED_MAX) throw new InvalidArgument(`more than ${UNFINISHED_MAX} unfinished appends`);
        append = { options: message.options, collected: new Collected(bytesMax), deadline: deadlineOf(message.options, Date.now()) };
        unfinished.set(correlation, append);
      }
      for (const event of message.proposed_messages ?? []) append.collected.add(event);
      if (!message.is_final) return;
      unfinished.delete(correlation);
      open += 1;
      void commit(correlation, append).then(answer);
    }

    async function commit(correlation: string, { options, collected, deadline }: Unfinished): Promise<object> {
      const head = { correlation_id: wireUuid(correlation, false), stream_identifier: options.stream_identifier ?? streamIdentifier('') };
      let stream = '';
      try {
        stream = streamName(options.stream_identifier);
        admit(caller, { stream });
        if (Date.now() > deadline) throw new DeadlinePassed();
        const result = await store.append(stream, collected.complete(), expectedRevision(options));
        return { ...head, success: successReply(result) };
      } catch (error) {
        return { ...head, error: batchStatus(error, stream, protocol) };
      }
    }
  };
}
