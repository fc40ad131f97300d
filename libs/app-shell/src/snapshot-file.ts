import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  LogTree,
  restoreSnapshot,
  snapshotLines,
  snapshotOfLines,
  takeSnapshot,
  type ClusterState,
  type LeftOut,
  type LogTreeRecord,
} from '#libs/cluster-state';
import { LogReplacedError, makeFolder, makePrivate, writeInPieces, type LogMark } from '#libs/event-log';
import type { LogIdentity } from './log-memory';

/** Characters gathered before they are written. */
const pieceMax = 64 * 1024;

/**
 * Where a process keeps its snapshot: a cache, safe to delete at any time. The file is lines of text: the first event of its log
 * (and the tree over it), those of the snapshot, and a digest of all before it.
 */
export class SnapshotStore {
  private readonly path: string;

  constructor(
    readonly folder: string,
    process: string,
  ) {
    this.path = join(folder, 'snapshots', `${process}.jsonl`);
  }

  /**
   * Writes down the state as it is at the call; it may be folded on meanwhile, and others have their turns between small pieces of work.
   * @param origin of the log that was folded
   * @param tree as far as the state
   */
  async save(state: ClusterState, origin: LogMark | undefined, tree?: LogTree): Promise<void> {
    if (!origin) return;
    const pieces = piecesOf({ origin, tree: tree?.record() }, snapshotLines(takeSnapshot(state)));
    // A snapshot holds Secrets. What an earlier version left open to others is closed.
    makeFolder(dirname(this.path));
    makePrivate(dirname(this.path));
    await writeInPieces(this.path, pieces, { soleWriter: true });
    // Until version 0.1.0 it was one JSON text.
    rmSync(this.path.replace(/l$/, ''), { force: true });
  }

  /**
   * What to begin from; undefined when there is no snapshot that fits this log and this version of the folds.
   * @param sealing the tree over the log is wanted too; a snapshot of an earlier version has none
   */
  async load(cluster: string, identity: LogIdentity, leftOut?: LeftOut, sealing = false): Promise<LoadedSnapshot | undefined> {
    const stored = this.read();
    if (!stored || (sealing && !stored.tree)) return undefined;
    const state = restoreSnapshot(cluster, snapshotOfLines(stored.lines), leftOut);
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

  private read(): (StoredHead & { lines: string[] }) | undefined {
    try {
      const file = readFileSync(this.path, 'utf8');
      const end = file.lastIndexOf('\n') + 1;
      const text = file.slice(0, end);
      if (createHash('sha256').update(text).digest('base64url') !== file.slice(end)) return undefined;
      const [head, ...lines] = text.slice(0, -1).split('\n');
      return { ...(JSON.parse(head as string) as StoredHead), lines };
    } catch {
      return undefined;
    }
  }
}

/** Lines gathered into longer pieces, a digest of all at the end. */
function* piecesOf(head: StoredHead, lines: Iterable<string>): Generator<string> {
  const digest = createHash('sha256');
  let piece = `${JSON.stringify(head)}\n`;
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length <= pieceMax) continue;
    digest.update(piece);
    yield piece;
    piece = '';
  }
  digest.update(piece);
  yield `${piece}${digest.digest('base64url')}`;
}

interface LoadedSnapshot {
  state: ClusterState;
  tree: LogTree | undefined;
}

/** The first line of the file. */
interface StoredHead {
  origin: LogMark;
  /** Over the log as far as the snapshot; absent where the process seals nothing. */
  tree?: LogTreeRecord;
}
