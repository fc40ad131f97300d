import type { Caller } from './access';
import { CollectedAppend, successReply } from './collected-append';
import { DeadlinePassed, InvalidArgument } from './invalid-request';
import type { GrpcCall } from './grpc/grpc-call';
import type { CallHandler } from './grpc/grpc-server';
import { decoded, type Method } from './grpc/methods';
import { batchStatus, statusOf } from './refusals';
import type { Surroundings } from './surroundings';
import { expectationOf, type Expectation } from './wire/expectation';
import type { BatchAppendOptions, BatchAppendRequestMessage, WireStreamIdentifier, WireUuid } from './wire/messages';
import { NO_NAME, streamIdentifier, streamName } from './wire/stream-names';
import { uuidText, wireUuid, ZERO_UUID } from './wire/uuid';

/** Appends that a client has begun and not finished on one call; a client sends one after the other, so this is generous. */
const UNFINISHED_MAX = 1000;
/** An append whose last message does not come is given up, ms; a real server's limit for any write. */
const UNFINISHED_MS_MAX = 2000;

interface Unfinished {
  stream: string;
  expectation: Expectation;
  collected: CollectedAppend;
  /** How long its last message may take, ms. */
  patience: number;
  /** Gives the append up when that is over; begun only when the first message is not the last too. */
  timer?: NodeJS.Timeout;
}

interface WireTime {
  seconds?: string | number;
  nanos?: number;
}

const NANOS_MAX = 999_999_999;
/** Ten thousand years. */
const SPAN_SECONDS_MAX = 315_576_000_000;
/** The years 1 to 9999. */
const TIME_SECONDS = { min: -62_135_596_800, max: 253_402_300_799 };

/** In the words of the library that a real server reads them with. @throws InvalidArgument */
function assertSpan({ seconds = 0, nanos = 0 }: WireTime): void {
  const [whole, rest] = [Number(seconds), nanos];
  if (Math.abs(whole) > SPAN_SECONDS_MAX || Math.abs(rest) > NANOS_MAX || Math.sign(whole) * Math.sign(rest) === -1)
    throw new InvalidArgument('Duration was not a valid normalized Duration');
}

function assertTime({ seconds = 0, nanos = 0 }: WireTime): void {
  const whole = Number(seconds);
  if (whole < TIME_SECONDS.min || whole > TIME_SECONDS.max || nanos < 0 || nanos > NANOS_MAX)
    throw new InvalidArgument('Timestamp contains invalid values: Seconds={Seconds}; Nanos={Nanos}');
}

/** Ms from now; not above `UNFINISHED_MS_MAX`. */
function patienceOf({ deadline_21_10_0: until, deadline: within }: BatchAppendOptions): number {
  // A real server counts in units of 100 ns.
  const ms = ({ seconds = 0, nanos = 0 }: WireTime): number => Number(seconds) * 1000 + Math.trunc(nanos / 100) / 1e4;
  if (within) assertSpan(within);
  else if (until) assertTime(until);
  const asked = within ? ms(within) : until ? ms(until) - Date.now() : Infinity;
  return Math.min(asked, UNFINISHED_MS_MAX);
}

/** In the words of a real server, which tells them to the writer. */
function nameOf(identifier: WireStreamIdentifier | undefined): string {
  if (!identifier) throw new InvalidArgument('Object reference not set to an instance of an object.');
  if (!identifier.stream_name?.length) throw new InvalidArgument("Value cannot be null. (Parameter 'value')");
  return streamName(identifier);
}

/** As the text of an error without a name of its own. */
function beginning(options: BatchAppendOptions): Expectation {
  try {
    return expectationOf(options, 'BatchAppendReq+Types+Options+ExpectedStreamPositionOneofCase');
  } catch (error) {
    const { message } = error as Error;
    throw new InvalidArgument(message.startsWith("'None'") ? `Status(StatusCode="InvalidArgument", Detail="${message}")` : message);
  }
}

/** The appends of one call. */
class BatchAppendCall {
  private readonly unfinished = new Map<string, Unfinished>();
  private open = 0;
  private closing = false;

  constructor(
    private readonly call: GrpcCall,
    private readonly method: Method,
    private readonly caller: Caller,
    private readonly around: Surroundings,
  ) {
    call.onOver(() => {
      for (const { timer } of this.unfinished.values()) clearTimeout(timer);
      this.unfinished.clear();
    });
  }

  /** A message that nobody can be answered for ends the call. */
  receive(message: BatchAppendRequestMessage): void {
    try {
      this.take(message);
    } catch (error) {
      if (!message.options) this.call.end(statusOf(error));
      else this.refuse(message.correlation_id, message.options.stream_identifier, error);
    }
  }

  end(): void {
    this.closing = true;
    if (this.open === 0) this.call.end();
  }

  private take(message: BatchAppendRequestMessage): void {
    const { options, correlation_id: id } = message;
    const correlation = uuidText(id);
    if (options) this.begin(correlation, options);
    const append = this.unfinished.get(correlation);
    // What was given up, or never begun, is not answered again.
    if (!append) return;
    try {
      this.add(message, correlation, append);
    } finally {
      if (this.unfinished.has(correlation)) append.timer ??= setTimeout(() => this.timeOut(correlation, append), append.patience);
    }
  }

  private add(message: BatchAppendRequestMessage, correlation: string, append: Unfinished): void {
    const { correlation_id: id, is_final: final } = message;
    for (const event of message.proposed_messages ?? []) append.collected.add(event, 'note');
    try {
      append.collected.assertSize();
    } catch (error) {
      this.giveUp(correlation);
      this.refuse(id, streamIdentifier(append.stream), error);
      return;
    }
    if (!final) return;
    this.giveUp(correlation);
    if (append.stream === NO_NAME)
      throw new InvalidArgument("Specified argument was out of the range of valid values. (Parameter 'eventStreamId')");
    if (correlation === ZERO_UUID) throw new InvalidArgument("correlationId (Parameter 'correlationId should be non-empty GUID.')");
    this.commit(id, append);
  }

  /** An append that has begun keeps its first options. */
  private begin(correlation: string, options: BatchAppendOptions): void {
    const patience = patienceOf(options);
    const stream = nameOf(options.stream_identifier);
    this.around.gate.admit(this.caller, 'write', stream);
    if (patience <= 0) throw new DeadlinePassed();
    if (this.unfinished.has(correlation)) return;
    const append: Unfinished = { stream, expectation: beginning(options), collected: new CollectedAppend(this.around.bytesMax), patience };
    if (this.unfinished.size >= UNFINISHED_MAX) throw new InvalidArgument(`more than ${UNFINISHED_MAX} unfinished appends`);
    this.unfinished.set(correlation, append);
  }

  private timeOut(correlation: string, { stream }: Unfinished): void {
    this.unfinished.delete(correlation);
    this.refuse(wireUuid(correlation, true), streamIdentifier(stream), new DeadlinePassed());
  }

  private giveUp(correlation: string): void {
    clearTimeout(this.unfinished.get(correlation)?.timer);
    this.unfinished.delete(correlation);
  }

  private refuse(id: WireUuid | undefined, identifier: WireStreamIdentifier | undefined, error: unknown, expectation?: Expectation): void {
    const stream = identifier?.stream_name ? Buffer.from(identifier.stream_name).toString('utf8') : '';
    const reply = {
      correlation_id: id,
      stream_identifier: identifier,
      error: batchStatus(error, stream, expectation, this.around.protocol),
    };
    this.answer(reply);
  }

  private commit(id: WireUuid | undefined, { stream, collected, expectation }: Unfinished): void {
    this.open += 1;
    const identifier = streamIdentifier(stream);
    this.around.store
      .append(stream, collected.events, expectation.expected)
      .then(
        (result) => this.answer({ correlation_id: id, stream_identifier: identifier, success: successReply(result) }),
        (error: unknown) => this.refuse(id, identifier, error, expectation),
      )
      .finally(() => {
        this.open -= 1;
        if (this.closing && this.open === 0) this.call.end();
      });
  }

  private answer(reply: object): void {
    const wait = this.call.write(this.method.responseSerialize(reply));
    // A client that does not read its answers is not listened to.
    if (!wait || this.call.isPaused()) return;
    this.call.pause();
    void wait.then(() => this.call.resume());
  }
}

/**
 * `BatchAppend`: one long call a client, many appends on it, matched by correlation. Each append is answered by itself;
 * a bad one never ends the call. They are committed in the order in which they became complete.
 */
export function batchAppendHandler(method: Method, around: Surroundings): CallHandler {
  return (call) => {
    let appends: BatchAppendCall;
    try {
      appends = new BatchAppendCall(call, method, around.gate.caller(call.headers), around);
    } catch (error) {
      call.end(statusOf(error));
      return;
    }
    around.opened(call);
    call.listen({
      message(bytes) {
        try {
          appends.receive(decoded<BatchAppendRequestMessage>(method, bytes));
        } catch (error) {
          call.end(statusOf(error));
        }
      },
      ended: () => appends.end(),
    });
  };
}
