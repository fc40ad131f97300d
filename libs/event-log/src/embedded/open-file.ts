import { constants, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync, DatabaseSyncInstance } from '@photostructure/sqlite';

export interface OpenedFile {
  db: DatabaseSyncInstance;
  /** To be called after the database is closed. */
  release(): void;
}

const nothing = (): void => undefined;

/** SQLITE_CANTOPEN: reading a file with a write-ahead log takes an index of it beside the file, which is made when it is absent. */
const CANNOT_OPEN = 14;

/**
 * Opens the file for reading alone, also where nothing can be written beside it: a read-only medium, somebody else's folder.
 * @param sealed known to be such a place; it is found out otherwise
 */
export function openForReading(sqlite: typeof DatabaseSync, path: string, timeout: number, sealed = false): OpenedFile {
  if (!sealed) {
    const db = new sqlite(path, { readOnly: true, timeout });
    try {
      // The file is looked at only now.
      db.prepare('PRAGMA user_version').get();
      return { db, release: nothing };
    } catch (error) {
      db.close();
      if ((error as { errcode?: number }).errcode !== CANNOT_OPEN || !sizeOf(path)) throw error;
    }
  }
  return sizeOf(`${path}-wal`) > 0 ? openCopy(sqlite, path, timeout) : openSealed(sqlite, path);
}

/** The whole log is in the file, and nobody can have it open: nobody could write the index that this takes. */
function openSealed(sqlite: typeof DatabaseSync, path: string): OpenedFile {
  const db = new sqlite(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
  return { db, release: nothing };
}

/** The newest events are in the write-ahead log alone: both are copied to where its index can be made. */
function openCopy(sqlite: typeof DatabaseSync, path: string, timeout: number): OpenedFile {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-log-'));
  const release = (): void => {
    process.off('exit', release);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', release);
  try {
    const copy = join(folder, basename(path));
    // The write-ahead log first: what is moved from it into the file meanwhile is then in both.
    for (const suffix of ['-wal', '']) copyFileSync(`${path}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE);
    return { db: new sqlite(copy, { readOnly: true, timeout }), release };
  } catch (error) {
    release();
    throw error;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
