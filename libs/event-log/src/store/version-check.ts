import type { ExpectedRevision, Revision } from '../port';

export interface StreamHead {
  /** -1: no event has ever been written. */
  revision: Revision;
  tombstoned: boolean;
  softDeleted: boolean;
  hasMetadata: boolean;
}

/**
 * What an expected revision means for a stream as it stands.
 * - `write`: append at the head.
 * - `repeat`: refused unless the events from `from` on are the very ones sent (a retry); `otherwise` says what then.
 * - `recent`: append at the head unless the ids are among the recently written.
 */
export type Check =
  | { kind: 'write' }
  | { kind: 'recent' }
  | { kind: 'repeat'; from: Revision; otherwise: 'write' | 'wrong' }
  | { kind: 'wrong' }
  | { kind: 'deleted' };

const WRITE: Check = { kind: 'write' };
const RECENT: Check = { kind: 'recent' };
const WRONG: Check = { kind: 'wrong' };
const DELETED: Check = { kind: 'deleted' };

/** EventStoreDB's rules; a head that equals the expectation is never looked at for repeated ids. */
export function checkExpected(expected: ExpectedRevision, head: StreamHead): Check {
  if (head.tombstoned) return DELETED;
  if (expected === 'any') return RECENT;
  if (expected === 'stream_exists') {
    if (head.softDeleted) return DELETED;
    return head.revision < 0 && !head.hasMetadata ? WRONG : RECENT;
  }
  const before = expected === 'no_stream' ? -1 : expected;
  if (before > head.revision) return WRONG;
  if (before === head.revision) return WRITE;
  return { kind: 'repeat', from: before + 1, otherwise: expected === 'no_stream' && head.softDeleted ? 'write' : 'wrong' };
}
