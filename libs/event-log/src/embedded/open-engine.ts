import { join } from 'node:path';
import { EventLogError } from '../errors';
import { lockFolder } from './folder-lock';
import { makeFolder } from './make-folder';
import type { RowCodec } from './row-codec';
import { prepareFile } from './schema';
import { SqliteEngine } from './sqlite-engine';

/** default: survives the death of the process at any instant. full: survives the loss of power too. */
export type Durability = 'default' | 'full';

export interface EmbeddedOptions {
  folder: string;
  durability?: Durability;
  /** Read beside the process that writes, without the lock; appends are refused. */
  readOnly?: boolean;
}

export const LOG_FILE = 'log.sqlite';

const BUSY_TIMEOUT_MS = 5000;
/** Pages of 4 KiB in the write-ahead log before they are moved into the file; fewer, larger moves stall appends less often. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 8192;

/** @throws LogLockedError when another process writes to the folder. */
export async function openSqliteEngine<P>(options: EmbeddedOptions, codec: RowCodec<P>): Promise<SqliteEngine<P>> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const { folder, durability = 'default', readOnly = false } = options;
  if (!readOnly) makeFolder(folder);
  const lock = readOnly ? undefined : lockFolder(DatabaseSync, folder);
  const path = join(folder, LOG_FILE);
  try {
    const db = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
    try {
      if (!readOnly) db.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -${CACHE_KIB}`);
      prepareFile(db, path, readOnly);
      return new SqliteEngine(db, codec, !readOnly, () => lock?.release());
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock?.release();
    if (error instanceof EventLogError) throw error;
    throw new EventLogError(`cannot open the event log ${path}: ${(error as Error).message}`, { cause: error });
  }
}
