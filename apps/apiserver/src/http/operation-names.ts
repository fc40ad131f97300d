import { randomFillSync } from 'node:crypto';

/** Bytes of chance in a name, and names that are drawn at once: asking the system for chance costs far more than the bytes do. */
const nameBytes = 16;
const drawn = 256;

const pool = Buffer.alloc(nameBytes * drawn);
let used = pool.length;

/** A name for an operation that no other has; as short as unique allows: it stands in the log with each write. */
export function newOperation(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool.toString('base64url', used, (used += nameBytes));
}
