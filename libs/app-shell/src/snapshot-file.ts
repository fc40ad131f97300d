import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restoreSnapshot, takeSnapshot, type ClusterState, type Snapshot } from '#libs/cluster-state';
import type { EventLog } from '#libs/event-log';
import { textDigest } from '#libs/events';

/**
 * Where a process keeps its snapshot: a cache, safe to delete at any time. The file is a digest, a line break, and the snapshot's JSON
 * that it is of: a large cluster is written out once, and read once.
 */
export class SnapshotStore {
  private readonly path: string;

  constructor(folder: string, process: string) {
    this.path = join(folder, 'snapshots', `${process}.json`);
  }

  save(state: ClusterState): void {
    const text = JSON.stringify(takeSnapshot(state));
    const temporary = `${this.path}.new`;
    mkdirSync(join(this.path, '..'), { recursive: true });
    writeFileSync(temporary, `${textDigest(text)}\n${text}`);
    renameSync(temporary, this.path);
  }

  /** The state to begin from; undefined when there is no snapshot that fits this log and this version of the folds. */
  async load(cluster: string, log: EventLog): Promise<ClusterState | undefined> {
    const snapshot = this.read();
    const state = snapshot && restoreSnapshot(cluster, snapshot);
    if (!state || !(await hasEventAt(log, state.position))) return undefined;
    return state;
  }

  delete(): void {
    rmSync(this.path, { force: true });
  }

  private read(): Snapshot | undefined {
    try {
      const file = readFileSync(this.path, 'utf8');
      const end = file.indexOf('\n');
      const text = file.slice(end + 1);
      return textDigest(text) === file.slice(0, end) ? (JSON.parse(text) as Snapshot) : undefined;
    } catch {
      return undefined;
    }
  }
}

async function hasEventAt(log: EventLog, position: number): Promise<boolean> {
  for await (const page of log.readAll({ from: position, limit: 1 })) return page[0]?.position === position;
  return false;
}
