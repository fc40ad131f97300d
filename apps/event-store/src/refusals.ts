import { AppendTooLargeError, EventLogError, LogUnavailableError, StreamDeletedError, WrongExpectedRevisionError } from '#libs/event-log';
import { AccessDenied, Unauthenticated } from './access';
import { code, StatusError, type CallStatus, type Code } from './grpc/status';
import { DeadlinePassed, InvalidArgument, MissingMetadata, TooMuch, UnexpectedResult } from './invalid-request';
import type { Expectation } from './wire/expectation';
import type { Protocol } from './wire/protocol';
import { streamIdentifier } from './wire/stream-names';

/** Header values are printable ASCII; what is not is percent-encoded. */
function headerText(text: string): string {
  return text.replace(/[^ -~]+/gu, encodeURIComponent);
}

/** A deletion that expected another revision, in the words and trailers of a real server. */
export class WrongDeletion extends Error {
  readonly trailers: Record<string, string>;

  constructor({ stream, actual = -1 }: WrongExpectedRevisionError, expected: string) {
    super(`Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`);
    this.trailers = { 'stream-name': stream, 'expected-version': expected, 'actual-version': String(actual) };
  }
}

interface Refusal {
  code: Code;
  /** Absent: the error's own message. */
  details?: string;
  /** The trailer `exception`, which the official clients look at before the code. */
  exception?: string;
  trailers?: Record<string, string>;
}

const deletedText = (stream: string): string => `Event stream '${stream}' is deleted.`;

function refusalOf(error: unknown): Refusal {
  if (error instanceof WrongDeletion) {
    return { code: code.FAILED_PRECONDITION, exception: 'wrong-expected-version', trailers: error.trailers };
  }
  if (error instanceof StreamDeletedError) {
    const details = deletedText(error.stream);
    return { code: code.FAILED_PRECONDITION, details, exception: 'stream-deleted', trailers: { 'stream-name': error.stream } };
  }
  if (error instanceof AppendTooLargeError) {
    const details = `Maximum Append Size of ${error.bytesMax} Exceeded.`;
    const trailers = { 'maximum-append-size': String(error.bytesMax) };
    return { code: code.INVALID_ARGUMENT, details, exception: 'maximum-append-size-exceeded', trailers };
  }
  if (error instanceof MissingMetadata) {
    const trailers = { 'required-metadata-properties': 'type,content-type' };
    return { code: code.INVALID_ARGUMENT, exception: 'missing-required-metadata-property', trailers };
  }
  if (error instanceof AccessDenied) return { code: code.PERMISSION_DENIED, exception: 'access-denied' };
  if (error instanceof Unauthenticated) return { code: code.UNAUTHENTICATED };
  if (error instanceof UnexpectedResult) return { code: code.UNKNOWN };
  if (error instanceof DeadlinePassed) return { code: code.DEADLINE_EXCEEDED };
  if (error instanceof TooMuch) return { code: code.RESOURCE_EXHAUSTED };
  if (error instanceof LogUnavailableError) return { code: code.UNAVAILABLE };
  if (error instanceof InvalidArgument || error instanceof EventLogError) return { code: code.INVALID_ARGUMENT };
  return { code: code.INTERNAL };
}

/** The error as the end of a call. */
export function statusOf(error: unknown): CallStatus {
  if (error instanceof StatusError) return error.status;
  const own = error instanceof Error ? error.message : String(error);
  const { code: number, exception, trailers = {}, details = own } = refusalOf(error);
  const told: Record<string, string> = exception === undefined ? {} : { exception };
  for (const [key, value] of Object.entries(trailers)) told[key] = headerText(value);
  return { code: number, details, trailers: told };
}

/** The expectation as fields of a reply; `of` tells the field for a revision. */
function expectationFields({ expected, text }: Expectation, of: string): object {
  return typeof expected === 'number' ? { [of]: text } : { [`expected_${expected}`]: {} };
}

/** A wrong expected revision as the reply of a single append, where it counts as an answer, not an error. */
export function wrongExpectedVersionReply({ actual }: WrongExpectedRevisionError, expectation: Expectation): object {
  const current = actual === undefined ? { current_no_stream: {} } : { current_revision: actual };
  return { wrong_expected_version: { ...current, ...expectationFields(expectation, 'expected_revision') } };
}

/** The error of one append on a shared batch stream; clients go by the type of `details`. */
export function batchStatus(error: unknown, stream: string, expectation: Expectation | undefined, protocol: Protocol): object {
  const status_ = (number: Code, type: Parameters<Protocol['encode']>[0], value: object = {}): object => ({
    code: number,
    message: type,
    details: { type_url: `type.googleapis.com/event_store.client.${type}`, value: protocol.encode(type, value) },
  });
  if (error instanceof WrongExpectedRevisionError) {
    const current = error.actual === undefined ? { current_no_stream: {} } : { current_stream_revision: error.actual };
    const expected = expectation ? expectationFields(expectation, 'expected_stream_position') : {};
    return status_(code.ALREADY_EXISTS, 'WrongExpectedVersion', { ...current, ...expected });
  }
  if (error instanceof StreamDeletedError) return status_(code.NOT_FOUND, 'StreamDeleted', { stream_identifier: streamIdentifier(stream) });
  if (error instanceof AppendTooLargeError)
    return status_(code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', { maxAppendSize: error.bytesMax });
  if (error instanceof AccessDenied) return status_(code.PERMISSION_DENIED, 'AccessDenied');
  if (error instanceof DeadlinePassed) return status_(code.DEADLINE_EXCEEDED, 'Timeout');
  // Clients pass the message on where they do not know the type of the details; of the type `Unknown` they drop it.
  if (error instanceof LogUnavailableError)
    return {
      code: code.UNAVAILABLE,
      message: error.message,
      details: { type_url: 'type.googleapis.com/google.protobuf.Empty', value: Buffer.alloc(0) },
    };
  const refused = error instanceof InvalidArgument || error instanceof MissingMetadata || error instanceof TooMuch;
  if (refused || error instanceof EventLogError) {
    // A real server answers with the error text of the dictionary that it looks the metadata up in.
    const message = error instanceof MissingMetadata ? 'The given key was not present in the dictionary.' : (error as Error).message;
    return status_(code.INVALID_ARGUMENT, 'BadRequest', { message });
  }
  return { ...status_(code.INTERNAL, 'Unknown'), message: error instanceof Error ? error.message : String(error) };
}
