import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EventLogError } from '../errors';
import { Checkpointer } from './checkpointer';
import { CommitSignal } from './commit-signal';
import { lockFolder } from './folder-lock';
import { makeFolder } from './make-folder';
import { openForReading } from './open-file';
import { makePrivate, makePrivateFile } from './private-file';
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
  /** With `readOnly`: nothing can be written beside the file. Found out by itself; tests that run as root say it. */
  sealed?: boolean;
  /** Tell followers in other processes of every commit. */
  signals?: boolean;
}

export const LOG_FILE = 'log.sqlite';

const BUSY_TIMEOUT_MS = 5000;
const CACHE_KIB = 8192;
/** Of who only reads: most of it he reads once, in the order of the log. */
const READER_CACHE_KIB = 2048;

/** @throws LogLockedError when another process writes to the folder. */
export async function openSqliteEngine<P>(options: EmbeddedOptions, codec: RowCodec<P>): Promise<SqliteEngine<P>> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const { folder, durability = 'default', readOnly = false, sealed, signals = false } = options;
  if (!readOnly) makeFolder(folder);
  const lock = readOnly ? undefined : lockFolder(DatabaseSync, folder);
  const path = join(folder, LOG_FILE);
  try {
    if (lock?.wasLeftOpen) refuseWithoutWriteAheadLog(path);
    if (!readOnly) {
      makePrivateFile(path);
      for (const beside of [`${path}-wal`, `${path}-shm`]) makePrivate(beside);
    }
    const { db, release } = readOnly
      ? openForReading(DatabaseSync, path, BUSY_TIMEOUT_MS, sealed)
      : { db: new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }), release: () => lock?.release() };
    try {
      if (!readOnly) db.exec('PRAGMA journal_mode = WAL');
      db.exec(
        `PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}; PRAGMA cache_size = -${readOnly ? READER_CACHE_KIB : CACHE_KIB}`,
      );
      prepareFile(db, path, readOnly);
      lock?.opened();
      const signal = signals ? new CommitSignal(folder) : undefined;
      const closed = (): void => {
        signal?.close();
        release();
      };
      if (readOnly) return new SqliteEngine(db, codec, { closed });
      const checkpointer = new Checkpointer(db, path);
      const committed = (): void => {
        signal?.raise();
        checkpointer.committed();
      };
      return new SqliteEngine(db, codec, { writing: { committed, closing: () => checkpointer.close() }, closed });
    } catch (error) {
      db.close();
      if (readOnly) release();
      throw error;
    }
  } catch (error) {
    lock?.release();
    if (error instanceof EventLogError) throw error;
    throw new EventLogError(`cannot open the event log ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The newest events of a log that was not closed are in the write-ahead log beside its file. Without that (a copy of one file, a
 * clean-up by name) they are gone, and the file alone looks like a whole, older log.
 */
function refuseWithoutWriteAheadLog(path: string): void {
  const writeAheadLog = `${path}-wal`;
  if (existsSync(writeAheadLog)) return;
  throw new EventLogError(
    `the event log ${path} was not closed, and its newest events are missing: put back ${writeAheadLog}, or a copy of both`,
  );
}
