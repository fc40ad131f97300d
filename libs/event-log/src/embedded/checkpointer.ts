import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { moveOnRequest, type MovingTask } from './checkpoint-worker';

/** Commits between two looks at how long the write-ahead log has become. */
const commitsPerLook = 16;
/** Pages of 4 KiB that are only in the write-ahead log when a thread begins to move them into the file. */
const pagesToMove = 2_000;
/** The write-ahead log is begun afresh from so many pages on: before, its file would only be written in other places. */
const pagesToRestart = 8_000;
/** So many of the newest pages may be moved where the appends are written, which waits for the disk twice in any case. */
const pagesLeftMax = 200;
/** Where the thread does not keep up, or is gone, SQLite itself moves the pages, and appends wait for it. */
const pagesMax = 16_000;
const pagesMaxAlone = 4_000;
/** Longest that closing waits for the thread, ms. */
const closeMsMax = 5_000;
/** The thread needs next to no memory, MB. */
const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 };

/**
 * Moves what was committed from the write-ahead log into the file (a checkpoint, in SQLite's words) in a thread of its own: done by the
 * writer, it holds up all that the process does for 10 to 20 ms, once in a thousand appends. The writer itself only moves the last few
 * pages now and then: SQLite begins the write-ahead log afresh when nothing is left in it, and beside a steady writer no other can reach that.
 */
export class Checkpointer {
  private commits = 0;
  /** Undefined: the log has been short so far. */
  private worker: Worker | undefined;
  private isMoving = false;
  private isGone = false;
  /** Set by the thread when it has closed the file. */
  private readonly closed = new Int32Array(new SharedArrayBuffer(4));
  private readonly look: StatementSyncInstance;
  private readonly move: StatementSyncInstance;

  /** @param db the writer's own connection to the file */
  constructor(
    private readonly db: DatabaseSyncInstance,
    private readonly path: string,
  ) {
    db.exec(`PRAGMA wal_autocheckpoint = ${pagesMax}`);
    this.look = db.prepare('PRAGMA wal_checkpoint(NOOP)');
    this.move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  }

  /** To be told of each commit. */
  committed(): void {
    this.commits += 1;
    if (this.isMoving || this.isGone || this.commits % commitsPerLook !== 0) return;
    if (this.pages().left >= pagesToMove) this.begin();
  }

  /** Resolved when it returns: nothing is moved any more, and the file is open in no other place than the writer's. */
  close(): void {
    if (!this.worker || this.isGone) return;
    this.isGone = true;
    this.worker.postMessage('close');
    Atomics.wait(this.closed, 0, 0, closeMsMax);
  }

  private begin(): void {
    this.isMoving = true;
    this.worker ??= this.start();
    this.worker.postMessage('move');
  }

  private start(): Worker {
    const workerData: MovingTask = {
      sqlite: createRequire(__filename).resolve('@photostructure/sqlite'),
      path: this.path,
      closed: this.closed,
    };
    const worker = new Worker(`(${moveOnRequest.toString()})(require)`, {
      eval: true,
      workerData,
      execArgv: [],
      env: {},
      resourceLimits,
    });
    worker.on('message', () => this.moved());
    worker.on('error', () => this.gone());
    worker.on('exit', () => this.gone());
    worker.unref();
    return worker;
  }

  private moved(): void {
    this.isMoving = false;
    if (this.isGone) return;
    const { log, left } = this.pages();
    if (log < pagesToRestart) return;
    if (left > pagesLeftMax) this.begin();
    else this.move.get();
  }

  private gone(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.db.exec(`PRAGMA wal_autocheckpoint = ${pagesMaxAlone}`);
  }

  /** How many pages the write-ahead log has, and how many of them are not in the file yet. */
  private pages(): { log: number; left: number } {
    const { log, checkpointed } = this.look.get() as { log: number; checkpointed: number };
    return { log, left: log - checkpointed };
  }
}
