import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { restoreSnapshot, takeSnapshot, type ClusterState, type LeftOut, type Snapshot } from '#libs/cluster-state';
import { LogReplacedError, makeFolder, makePrivate, PRIVATE_FILE, type LogMark } from '#libs/event-log';
import { textDigest } from '#libs/events';
import type { LogIdentity } from './log-identity';

/**
 * Where a process keeps its snapshot: a cache, safe to delete at any time. The file is a digest, a line break, and the JSON that it is
 * of, the snapshot and the first event of its log: a large cluster is written out once, and read once.
 */
export class SnapshotStore {
  private readonly path: string;

  constructor(folder: string, process: string) {
    this.path = join(folder, 'snapshots', `${process}.json`);
  }

  /** @param origin of the log that was folded */
  save(state: ClusterState, origin: LogMark | undefined): void {
    if (!origin) return;
    const text = JSON.stringify({ origin, snapshot: takeSnapshot(state) } satisfies StoredSnapshot);
    const temporary = `${this.path}.new`;
    // A snapshot holds Secrets. What an earlier version left open to others is closed.
    makeFolder(dirname(this.path));
    makePrivate(dirname(this.path));
    rmSync(temporary, { force: true });
    writeFileSync(temporary, `${textDigest(text)}\n${text}`, { mode: PRIVATE_FILE });
    renameSync(temporary, this.path);
  }

  /** The state to begin from; undefined when there is no snapshot that fits this log and this version of the folds. */
  async load(cluster: string, identity: LogIdentity, leftOut?: LeftOut): Promise<ClusterState | undefined> {
    const stored = this.read();
    const state = stored?.snapshot && restoreSnapshot(cluster, stored.snapshot, leftOut);
    if (!stored || !state) return undefined;
    try {
      const found = await identity.origin();
      if (found?.id !== stored.origin.id) throw new LogReplacedError(stored.origin, found);
      await identity.holdTo({ position: state.position, id: state.lastEventId ?? '' });
    } catch (error) {
      if (!(error instanceof LogReplacedError)) throw error;
      process.stderr.write(`kubereel: the snapshot ${this.path} is of another log and not used: ${error.message}\n`);
      return undefined;
    }
    return state;
  }

  delete(): void {
    rmSync(this.path, { force: true });
  }

  private read(): StoredSnapshot | undefined {
    try {
      const file = readFileSync(this.path, 'utf8');
      const end = file.indexOf('\n');
      const text = file.slice(end + 1);
      return textDigest(text) === file.slice(0, end) ? (JSON.parse(text) as StoredSnapshot) : undefined;
    } catch {
      return undefined;
    }
  }
}

interface StoredSnapshot {
  origin: LogMark;
  snapshot: Snapshot;
}
