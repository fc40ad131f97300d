import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restoreSnapshot, takeSnapshot, type ClusterState, type Snapshot } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { jsonDigest } from '#libs/events';

interface SnapshotFile {
  digest: string;
  snapshot: Snapshot;
}

/** Where a process keeps its snapshot: a cache, safe to delete at any time. */
export class SnapshotStore {
  private readonly path: string;

  constructor(folder: string, process: string) {
    this.path = join(folder, 'snapshots', `${process}.json`);
  }

  save(state: ClusterState): void {
    const snapshot = takeSnapshot(state);
    const file: SnapshotFile = { digest: jsonDigest(snapshot), snapshot };
    const temporary = `${this.path}.new`;
    mkdirSync(join(this.path, '..'), { recursive: true });
    writeFileSync(temporary, JSON.stringify(file));
    renameSync(temporary, this.path);
  }

  /** The state to begin from; undefined when there is no snapshot that fits this log and this version of the folds. */
  async load(cluster: string, log: EventLog): Promise<ClusterState | undefined> {
    const file = this.read();
    if (!file || jsonDigest(file.snapshot) !== file.digest) return undefined;
    const state = restoreSnapshot(cluster, file.snapshot);
    if (!state || !(await hasEventAt(log, state.position))) return undefined;
    return state;
  }

  delete(): void {
    rmSync(this.path, { force: true });
  }

  private read(): SnapshotFile | undefined {
    try {
      return JSON.parse(readFileSync(this.path, 'utf8')) as SnapshotFile;
    } catch {
      return undefined;
    }
  }
}

async function hasEventAt(log: EventLog, position: number): Promise<boolean> {
  for await (const page of log.readAll({ from: position, limit: 1 })) return page[0]?.position === position;
  return false;
}
