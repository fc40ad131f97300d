import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import {
  AppendTooLargeError,
  EventLogError,
  LogUnavailableError,
  StreamDeletedError,
  WrongExpectedRevisionError,
  type ExpectedRevision,
} from '#libs/event-log';
import { AccessDenied, Unauthenticated } from './access';
import { DeadlinePassed, InvalidArgument, MissingMetadata } from './invalid-request';
import { streamIdentifier } from './wire/stream-names';
import type { Protocol } from './wire/protocol';

/** Header values are printable ASCII; what is not is percent-encoded. */
function headerText(text: string): string {
  return text.replace(/[^ -~]+/gu, encodeURIComponent);
}

const EXPECTED_NUMBER = { any: -2, no_stream: -1, stream_exists: -4 } as const;

function expectedNumber(expected: ExpectedRevision): number {
  return typeof expected === 'number' ? expected : EXPECTED_NUMBER[expected];
}

interface Refusal {
  code: status;
  /** The trailer `exception`, which the official clients look at before the code. */
  exception?: string;
  trailers?: Record<string, string>;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof WrongExpectedRevisionError) {
    const trailers: Record<string, string> = { 'stream-name': error.stream, 'expected-version': String(expectedNumber(error.expected)) };
    if (error.actual !== undefined) trailers['actual-version'] = String(error.actual);
    return { code: status.FAILED_PRECONDITION, exception: 'wrong-expected-version', trailers };
  }
  if (error instanceof StreamDeletedError) {
    return { code: status.FAILED_PRECONDITION, exception: 'stream-deleted', trailers: { 'stream-name': error.stream } };
  }
  if (error instanceof AppendTooLargeError) {
    const trailers = { 'maximum-append-size': String(error.bytesMax) };
    return { code: status.INVALID_ARGUMENT, exception: 'maximum-append-size-exceeded', trailers };
  }
  if (error instanceof MissingMetadata) {
    const trailers = { 'required-metadata-properties': 'type,content-type' };
    return { code: status.INVALID_ARGUMENT, exception: 'missing-required-metadata-property', trailers };
  }
  if (error instanceof AccessDenied) return { code: status.PERMISSION_DENIED, exception: 'access-denied' };
  if (error instanceof Unauthenticated) return { code: status.UNAUTHENTICATED };
  if (error instanceof DeadlinePassed) return { code: status.DEADLINE_EXCEEDED };
  if (error instanceof LogUnavailableError) return { code: status.UNAVAILABLE };
  if (error instanceof InvalidArgument || error instanceof EventLogError) return { code: status.INVALID_ARGUMENT };
  return { code: status.INTERNAL };
}

/** The error as the end of a call. */
export function serviceError(error: unknown): Partial<ServiceError> {
  const { code, exception, trailers = {} } = refusalOf(error);
  const metadata = new Metadata();
  if (exception) metadata.set('exception', exception);
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, headerText(value));
  const details = error instanceof Error ? error.message : String(error);
  return Object.assign(new Error(details), { code, details, metadata });
}

/** The expectation as fields of a reply; `of` tells the field for a revision. */
function expectation(expected: ExpectedRevision, of: string): object {
  return typeof expected === 'number' ? { [of]: expected } : { [`expected_${expected}`]: {} };
}

/** A wrong expected revision as the reply of a single append, where it counts as an answer, not an error. */
export function wrongExpectedVersionReply(error: WrongExpectedRevisionError): object {
  const current = error.actual === undefined ? { current_no_stream: {} } : { current_revision: error.actual };
  return { wrong_expected_version: { ...current, ...expectation(error.expected, 'expected_revision') } };
}

/** The error of one append on a shared batch stream; clients go by the type of `details`. */
export function batchStatus(error: unknown, stream: string, protocol: Protocol): object {
  const message = error instanceof Error ? error.message : String(error);
  const status_ = (code: status, type: Parameters<Protocol['encode']>[0], value: object): object => ({
    code,
    message,
    details: { type_url: `type.googleapis.com/event_store.client.${type}`, value: protocol.encode(type, value) },
  });
  if (error instanceof WrongExpectedRevisionError) {
    const current = error.actual === undefined ? { current_no_stream: {} } : { current_stream_revision: error.actual };
    return status_(status.ALREADY_EXISTS, 'WrongExpectedVersion', {
      ...current,
      ...expectation(error.expected, 'expected_stream_position'),
    });
  }
  if (error instanceof StreamDeletedError)
    return status_(status.NOT_FOUND, 'StreamDeleted', { stream_identifier: streamIdentifier(stream) });
  if (error instanceof AppendTooLargeError)
    return status_(status.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', { maxAppendSize: error.bytesMax });
  if (error instanceof AccessDenied) return { ...status_(status.PERMISSION_DENIED, 'AccessDenied', {}), message: 'AccessDenied' };
  if (error instanceof DeadlinePassed) return status_(status.DEADLINE_EXCEEDED, 'Timeout', {});
  if (error instanceof LogUnavailableError) return status_(status.UNAVAILABLE, 'Unknown', {});
  if (error instanceof InvalidArgument || error instanceof MissingMetadata || error instanceof EventLogError) {
    return status_(status.INVALID_ARGUMENT, 'BadRequest', { message });
  }
  return status_(status.INTERNAL, 'Unknown', {});
}
