import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  LogTree,
  restoreSnapshot,
  takeSnapshot,
  type ClusterState,
  type LeftOut,
  type LogTreeRecord,
  type Snapshot,
} from '#libs/cluster-state';
import { LogReplacedError, makeFolder, makePrivate, writeWhole, type LogMark } from '#libs/event-log';
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

  /** @param origin of the log that was folded @param tree as far as the state */
  save(state: ClusterState, origin: LogMark | undefined, tree?: LogTree): void {
    if (!origin) return;
    const text = JSON.stringify({ origin, tree: tree?.record(), snapshot: takeSnapshot(state) } satisfies StoredSnapshot);
    // A snapshot holds Secrets. What an earlier version left open to others is closed.
    makeFolder(dirname(this.path));
    makePrivate(dirname(this.path));
    writeWhole(this.path, `${textDigest(text)}\n${text}`, { soleWriter: true });
  }

  /**
   * What to begin from; undefined when there is no snapshot that fits this log and this version of the folds.
   * @param sealing the tree over the log is wanted too; a snapshot of an earlier version has none
   */
  async load(cluster: string, identity: LogIdentity, leftOut?: LeftOut, sealing = false): Promise<LoadedSnapshot | undefined> {
    const stored = this.read();
    if (!stored?.snapshot || (sealing && !stored.tree)) return undefined;
    const state = restoreSnapshot(cluster, stored.snapshot, leftOut);
    if (!state) return undefined;
    try {
      const found = await identity.origin();
      if (found?.id !== stored.origin.id) throw new LogReplacedError(stored.origin, found);
      await identity.holdTo({ position: state.position, id: state.lastEventId ?? '' });
    } catch (error) {
      if (!(error instanceof LogReplacedError)) throw error;
      process.stderr.write(`kubereel: the snapshot ${this.path} is of another log and not used: ${error.message}\n`);
      return undefined;
    }
    return { state, tree: stored.tree && LogTree.of(stored.tree) };
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

interface LoadedSnapshot {
  state: ClusterState;
  tree: LogTree | undefined;
}

interface StoredSnapshot {
  origin: LogMark;
  /** Over the log as far as the snapshot; absent where the process seals nothing. */
  tree?: LogTreeRecord;
  snapshot: Snapshot;
}
