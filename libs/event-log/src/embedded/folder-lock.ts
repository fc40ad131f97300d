import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, DatabaseSyncInstance } from '@photostructure/sqlite';
import { LogLockedError } from '../errors';
import { makePrivateFile, PRIVATE_FILE } from './private-file';

/**
 * One writer a folder. The lock is an exclusive transaction held on a file of its own (`log.lock`), so the operating system
 * gives it back whatever way the holder dies: a lock cannot go stale, process numbers that repeat (containers) cannot
 * confuse it. Who holds it is written beside, in `log.holder`, for the message only.
 */
export interface FolderLock {
  /** Whether the last holder ended with the log open: what it wrote last is in the write-ahead log only. */
  readonly wasLeftOpen: boolean;
  /** The log is open from now on, with a write-ahead log beside it. */
  opened(): void;
  release(): void;
}

function read(path: string): { pid?: unknown; open?: unknown } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { pid?: unknown; open?: unknown };
  } catch {
    return {};
  }
}

function holderOf(path: string): number {
  const { pid } = read(path);
  return typeof pid === 'number' ? pid : 0;
}

const SQLITE_BUSY = /locked|busy/i;

/** @throws LogLockedError naming the holder */
export function lockFolder(sqlite: typeof DatabaseSync, folder: string): FolderLock {
  const holderPath = join(folder, 'log.holder');
  const lockPath = join(folder, 'log.lock');
  makePrivateFile(lockPath);
  const lock: DatabaseSyncInstance = new sqlite(lockPath, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (SQLITE_BUSY.test((error as Error).message)) throw new LogLockedError(folder, holderOf(holderPath));
    throw error;
  }
  const wasLeftOpen = read(holderPath).open === true;
  const since = new Date().toISOString();
  const note = (open: boolean): void =>
    writeFileSync(holderPath, `${JSON.stringify({ pid: process.pid, since, open })}\n`, { mode: PRIVATE_FILE });
  note(wasLeftOpen);
  // A process that ends by itself, closed or not, lets SQLite put everything into the file; only one that is killed leaves the log open.
  const onExit = (): void => note(false);
  return {
    wasLeftOpen,
    opened() {
      note(true);
      process.once('exit', onExit);
    },
    release() {
      process.off('exit', onExit);
      rmSync(holderPath, { force: true });
      lock.close();
    },
  };
}
