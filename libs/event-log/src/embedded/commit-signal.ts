import { closeSync, openSync, watch, writeSync, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

/** Name in the log's folder. Its content means nothing; that it is written to does. */
const SIGNAL_FILE = 'commits';

/** Every signal wakes every process of the cluster: no more of them than a reaction needs. */
const SIGNAL_INTERVAL_MS = 2;
const BYTE = Buffer.from('.');

/**
 * Tells other processes of a commit by a write to a file that they watch: one system call, however many they are, and none
 * of them has to be known. A signal may get lost (a file system without notices); followers look for themselves now and then.
 */
export class CommitSignal {
  private readonly file: number;
  private raisedAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(folder: string) {
    this.file = openSync(join(folder, SIGNAL_FILE), 'w', 0o600);
  }

  /** At once after a pause; in a storm of commits once for those of a few milliseconds. */
  raise(): void {
    if (this.timer) return;
    const wait = this.raisedAt + SIGNAL_INTERVAL_MS - performance.now();
    if (wait <= 0) this.write();
    else
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.write();
      }, wait);
  }

  close(): void {
    if (this.timer) {
      clearTimeout(this.timer);
      this.write();
    }
    closeSync(this.file);
  }

  private write(): void {
    this.raisedAt = performance.now();
    try {
      writeSync(this.file, BYTE, 0, 1, 0);
    } catch {
      // A full disk: the signal is lost, the commit is not.
    }
  }
}

/** Calls back after commits, once for several that came together. Gives how to stop; undefined where files cannot be watched. */
export function watchCommits(folder: string, listener: () => void): (() => void) | undefined {
  let watcher: FSWatcher;
  try {
    watcher = watch(join(folder, SIGNAL_FILE), { persistent: false }, listener);
  } catch {
    return undefined;
  }
  watcher.on('error', () => watcher.close());
  return () => watcher.close();
}
