import type { ExpectedRevision } from '#libs/event-log';
import { InvalidArgument, MissingCase } from '../invalid-request';
import type { WireExpectation } from './messages';

/** What a writer expects of a stream, and how it is told back to it: exactly, also where numbers end. */
export interface Expectation {
  expected: ExpectedRevision;
  /** A signed 64-bit number; -1, -2 and -4 for no stream, any and an existing one. */
  text: string;
}

const NO_STREAM: Expectation = { expected: 'no_stream', text: '-1' };
const ANY: Expectation = { expected: 'any', text: '-2' };
const EXISTS: Expectation = { expected: 'stream_exists', text: '-4' };
const UINT64_MAX = 2n ** 64n - 1n;
const INT64_MAX = 2n ** 63n - 1n;

/** Where a revision cannot be read. In batch appends this is told to the writer in these very words. */
const OUT_OF_RANGE = "Specified argument was out of the range of valid values. (Parameter 'value')";

/** @param oneof the name of the case for the message when none is given. @throws InvalidArgument */
export function expectationOf(options: WireExpectation, oneof: string): Expectation {
  const text = options.revision ?? options.stream_position;
  if (text !== undefined) {
    const revision = BigInt(text);
    // The largest stands for -1.
    if (revision === UINT64_MAX) return NO_STREAM;
    if (revision > INT64_MAX) throw new InvalidArgument(OUT_OF_RANGE);
    return { expected: Number(revision), text };
  }
  if (options.no_stream) return NO_STREAM;
  if (options.any) return ANY;
  if (options.stream_exists) return EXISTS;
  throw new MissingCase(oneof);
}
