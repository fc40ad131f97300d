import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { EventPlaces, OutlineStorage } from './outline-storage';
import { SqlitePast } from './sqlite-storage';

/** Numbers as the machine has them: a cache is not carried to another one. */
const EVENTS = 'CREATE TABLE IF NOT EXISTS events (checkpoint INTEGER PRIMARY KEY, hashes BLOB NOT NULL, positions BLOB NOT NULL)';
/** Stretches of the log looked at in one go: about a millisecond. */
const stretchesAtOnce = 64;

/** An outline in a file of the data folder. */
export class SqliteOutline extends SqlitePast implements OutlineStorage {
  constructor(db: DatabaseSyncInstance, path: string, about: string) {
    super(db, path, about);
    db.exec(EVENTS);
    // Of a checkpoint that was being written when the process ended.
    this.dropEventsAfter(this.last()?.position ?? 0);
  }

  addEvents(checkpoint: number, { hashes, positions }: EventPlaces): void {
    this.db.prepare('INSERT OR REPLACE INTO events VALUES (?, ?, ?)').run(checkpoint, bytesOf(hashes), bytesOf(positions));
  }

  *find(hash: number): Iterable<readonly number[]> {
    const stretches = this.db.prepare('SELECT checkpoint, hashes FROM events WHERE checkpoint > ? ORDER BY checkpoint LIMIT ?');
    const positionsOf = this.db.prepare('SELECT positions FROM events WHERE checkpoint = ?');
    for (let after = 0; ;) {
      const rows = stretches.all(after, stretchesAtOnce) as { checkpoint: number; hashes: Uint8Array }[];
      const found: number[] = [];
      for (const { checkpoint, hashes } of rows) {
        after = checkpoint;
        const all = new Uint32Array(aligned(hashes));
        for (let at = all.indexOf(hash); at >= 0; at = all.indexOf(hash, at + 1)) {
          const { positions } = positionsOf.get(checkpoint) as { positions: Uint8Array };
          found.push(new Float64Array(aligned(positions))[at] as number);
        }
      }
      if (rows.length === 0) return;
      yield found;
    }
  }

  override dropAfter(position: number): void {
    super.dropAfter(position);
    this.dropEventsAfter(position);
  }

  private dropEventsAfter(position: number): void {
    this.db.prepare('DELETE FROM events WHERE checkpoint > ?').run(position);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy that numbers can be read from. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer as ArrayBuffer;
}
