/** What the thread is given. */
export interface MovingTask {
  /** Where SQLite is loaded from. */
  sqlite: string;
  /** The file of the log. */
  path: string;
  /** Set to 1 when the thread has closed the file. */
  closed: Int32Array;
}

/**
 * Runs in a thread of its own, from its text: it may use nothing but what it is given. Asked to move, it moves all that is committed and
 * answers; a disk that takes no more is no reason not to be asked again.
 *
 * Statements that give rows are not used: where the process ends meanwhile, the rows cannot be made any more and the addon aborts the process.
 */
export function moveOnRequest(require: NodeJS.Require): void {
  const { parentPort, workerData } = require('node:worker_threads') as typeof import('node:worker_threads');
  const { sqlite, path, closed } = workerData as MovingTask;
  const { DatabaseSync } = require(sqlite) as typeof import('@photostructure/sqlite');
  const db = new DatabaseSync(path, { timeout: 0 });
  db.exec('PRAGMA synchronous = NORMAL');
  parentPort?.on('message', (request: 'move' | 'close') => {
    if (request === 'move') {
      let moved = true;
      try {
        db.exec('PRAGMA wal_checkpoint(PASSIVE)');
      } catch {
        moved = false;
      }
      parentPort.postMessage(moved);
      return;
    }
    db.close();
    Atomics.store(closed, 0, 1);
    Atomics.notify(closed, 0);
    parentPort.close();
  });
}
