import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EVENT_REPORTS_VERSION, FOLD_VERSION } from '#libs/cluster-state';
import { makeFolder, makePrivate, makePrivateFile, type LogMark } from '#libs/event-log';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { OutlineStorage } from './outline-storage';
import { SqliteOutline } from './sqlite-outline';
import { SqlitePast } from './sqlite-storage';
import type { PastStorage } from './storage';

/** Raise when the meaning of the file changes. */
const PAST_VERSION = 1;
const OUTLINE_VERSION = 1;

export interface OpenPastOptions {
  /** The cluster's data folder. */
  folder: string;
  cluster: string;
  /** The first event of the log. */
  origin: LogMark;
  /** The event that the log has at a position; undefined: it has none there. */
  eventAt(position: number): Promise<string | undefined>;
}

/**
 * The checkpoints that a data folder keeps, `snapshots/past.sqlite`: of this log, as far as it has the events that they were made at, and
 * made by this version of the folds. Whatever does not fit is dropped, and a file that cannot be read is begun anew.
 * @throws what the file system says where none can be written
 */
export function openPast(options: OpenPastOptions): Promise<PastStorage> {
  const madeBy = { version: PAST_VERSION, fold: FOLD_VERSION, reports: EVENT_REPORTS_VERSION };
  return openFile('past.sqlite', madeBy, SqlitePast, options);
}

/** The outline that a data folder keeps, `snapshots/outline.sqlite`: as `openPast`. */
export function openOutlineStorage(options: OpenPastOptions): Promise<OutlineStorage> {
  return openFile('outline.sqlite', { version: OUTLINE_VERSION, fold: FOLD_VERSION }, SqliteOutline, options);
}

async function openFile<T extends SqlitePast>(
  file: string,
  madeBy: object,
  Storage: new (db: DatabaseSyncInstance, path: string, about: string) => T,
  { folder, cluster, origin, eventAt }: OpenPastOptions,
): Promise<T> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const path = join(folder, 'snapshots', file);
  makeFolder(dirname(path));
  makePrivate(dirname(path));
  const about = JSON.stringify({ ...madeBy, cluster, origin: origin.id });
  const open = (): T => {
    // Objects may be Secrets: the file is its owner's alone from the first byte.
    makePrivateFile(path);
    const db = new DatabaseSync(path, { timeout: 1_000 });
    try {
      return new Storage(db, path, about);
    } catch (error) {
      db.close();
      throw error;
    }
  };
  let storage: T;
  try {
    storage = open();
  } catch {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    storage = open();
  }
  await dropForeign(storage, eventAt);
  return storage;
}

/** A log that was put back to an older copy and went on otherwise: the newest checkpoints are of what is gone. */
async function dropForeign(storage: PastStorage, eventAt: OpenPastOptions['eventAt']): Promise<void> {
  for (let last = storage.last(); last && (await eventAt(last.position)) !== last.eventId; last = storage.last())
    storage.dropAfter(last.position - 1);
}
