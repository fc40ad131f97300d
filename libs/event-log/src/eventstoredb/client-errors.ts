import {
  AppendTooLargeError,
  EventLogError,
  LogTimeoutError,
  LogUnavailableError,
  StreamDeletedError,
  WrongExpectedRevisionError,
} from '../errors';
import type { ExpectedRevision } from '../port';
import { revisionOf } from './conversion';
import { plainWords } from './plain-words';

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

const NO_CONNECTION = /No connection established|Name resolution failed/;
const INVALID_ARGUMENT = 3;

const DISCOVERY_FAILED = /^Failed to discover/;
/**
 * During an election, and while a server starts; and what our own says when its disk is full. In a batch append it comes without
 * a code, so that the client makes nothing of it.
 */
const NOT_READY = /Server Is Not Ready|the event log could not write/i;
/**
 * What a read or subscription that begins where no event is ends with: 23.10 and 26.1, reads, then subscriptions. The last but
 * one is also said of other failures.
 */
const NO_EVENT_THERE =
  /Unexpected ReadAllResult: (?:Error|InvalidPosition)|Trying to read from an invalid position|Exception was thrown by handler/;

/** True when the same request may succeed later, perhaps on another server. */
export function isRetried(error: unknown): boolean {
  const { type, code, message } = error as ClientError;
  if (error instanceof LogUnavailableError) return !(error instanceof LogTimeoutError);
  if (error instanceof EventLogError) return false;
  if (NOT_READY.test(message ?? '')) return true;
  if (type !== undefined && type !== 'unknown') return RETRIED_TYPES.has(type);
  return (code !== undefined && RETRIED_CODES.has(code)) || DISCOVERY_FAILED.test(message ?? '');
}

/** True for an append that failed and was certainly not written. */
export function isUnwritten(error: unknown): boolean {
  const { type, message } = error as ClientError;
  return type === 'not-leader' || NOT_READY.test(message ?? '') || NO_CONNECTION.test(message ?? '');
}

/** True when a server may have meant that no event is at the position asked for. */
export function isRefusedPosition(error: unknown): boolean {
  const { code, message } = error as ClientError;
  return code === INVALID_ARGUMENT || NO_EVENT_THERE.test(message ?? '');
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
  const isThere = NOT_READY.test(message ?? '');
  if (isRetried(error))
    return new LogUnavailableError(`the event store ${isThere ? 'takes nothing now' : 'cannot be reached'}: ${plainWords(message)}`, {
      cause: error,
    });
  return new EventLogError(`the event store refused: ${plainWords(message)}`, { cause: error });
}
