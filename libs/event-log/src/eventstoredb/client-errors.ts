import { AppendTooLargeError, EventLogError, LogUnavailableError, StreamDeletedError, WrongExpectedRevisionError } from '../errors';
import type { ExpectedRevision } from '../port';
import { revisionOf } from './conversion';

/** What the client's errors have in common with those of gRPC, by shape: its classes are loaded late. */
interface ClientError extends Error {
  /** Kind of the client's own errors. */
  type?: string;
  /** gRPC status code. */
  code?: number;
  actualVersion?: bigint | 'no_stream';
  maxAppendSize?: number;
}

const RETRIED_TYPES = new Set(['unavailable', 'not-leader', 'cancelled', 'deadline-exceeded', 'timeout']);

/** CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, ABORTED, INTERNAL (a broken connection ends calls so), UNAVAILABLE. */
const RETRIED_CODES = new Set([1, 2, 4, 10, 13, 14]);

const DISCOVERY_FAILED = /^Failed to discover/;

/** True when the same request may succeed later, perhaps on another server. */
export function isRetried(error: unknown): boolean {
  const { type, code, message } = error as ClientError;
  if (error instanceof LogUnavailableError) return true;
  if (type !== undefined && type !== 'unknown') return RETRIED_TYPES.has(type);
  return (code !== undefined && RETRIED_CODES.has(code)) || DISCOVERY_FAILED.test(message ?? '');
}

export function isStreamMissing(error: unknown): boolean {
  return (error as ClientError).type === 'stream-not-found';
}

/** A client error as one of the port's. */
export function logError(error: unknown, append?: { stream: string; expected: ExpectedRevision; bytes: number }): Error {
  if (error instanceof EventLogError) return error;
  const { type, actualVersion, maxAppendSize, message } = error as ClientError;
  if (append && type === 'wrong-expected-version') {
    const actual = typeof actualVersion === 'bigint' ? revisionOf(actualVersion) : undefined;
    return new WrongExpectedRevisionError(append.stream, append.expected, actual);
  }
  if (type === 'stream-deleted') return new StreamDeletedError(append?.stream ?? (error as { streamName?: string }).streamName ?? '');
  if (append && type === 'maximum-append-size-exceeded') return new AppendTooLargeError(append.bytes, maxAppendSize ?? 0);
  if (isRetried(error)) return new LogUnavailableError(`the event store cannot be reached: ${message}`, { cause: error });
  return new EventLogError(`the event store refused: ${message}`, { cause: error });
}
