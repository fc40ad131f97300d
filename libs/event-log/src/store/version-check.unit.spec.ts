import { describe, expect, it } from 'vitest';
import type { ExpectedRevision } from '../port';
import { checkExpected, type StreamHead } from './version-check';

const head = (revision: number, more: Partial<StreamHead> = {}): StreamHead => ({
  revision,
  tombstoned: false,
  softDeleted: false,
  hasMetadata: false,
  ...more,
});

describe('what an expected revision means', () => {
  const softDeleted = { softDeleted: true, hasMetadata: true };
  const cases: [string, ExpectedRevision, StreamHead, string][] = [
    ['no_stream, none', 'no_stream', head(-1), 'write'],
    ['no_stream, some', 'no_stream', head(4), 'repeat from 0 or wrong'],
    ['no_stream, soft-deleted', 'no_stream', head(4, softDeleted), 'repeat from 0 or write'],
    ['no_stream, deleted without ever having events', 'no_stream', head(-1, softDeleted), 'write'],
    ['any, none', 'any', head(-1), 'recent'],
    ['any, soft-deleted', 'any', head(4, softDeleted), 'recent'],
    ['stream_exists, none', 'stream_exists', head(-1), 'wrong'],
    ['stream_exists, only metadata', 'stream_exists', head(-1, { hasMetadata: true }), 'recent'],
    ['stream_exists, some', 'stream_exists', head(0), 'recent'],
    ['stream_exists, soft-deleted', 'stream_exists', head(4, softDeleted), 'deleted'],
    ['at the head', 4, head(4), 'write'],
    ['at the head, soft-deleted', 4, head(4, softDeleted), 'write'],
    ['behind the head', 2, head(4), 'repeat from 3 or wrong'],
    ['behind the head, soft-deleted', 2, head(4, softDeleted), 'repeat from 3 or wrong'],
    ['beyond the head', 5, head(4), 'wrong'],
    ['a revision, none', 0, head(-1), 'wrong'],
    ['anything, tombstoned', 'any', head(4, { tombstoned: true }), 'deleted'],
    ['the revision of a tombstone', 4, head(4, { tombstoned: true }), 'deleted'],
  ];
  it.each(cases)('%s', (_name, expected, stream, meaning) => {
    const check = checkExpected(expected, stream);
    expect(check.kind === 'repeat' ? `repeat from ${check.from} or ${check.otherwise}` : check.kind).toBe(meaning);
  });
});
