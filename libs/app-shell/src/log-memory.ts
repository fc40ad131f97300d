import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogReplacedError, makeFolder, type LogMark } from '#libs/event-log';
import type { LogIdentity } from './log-identity';

interface Remembered {
  origin: LogMark;
  /** The last event that was seen here. */
  last: LogMark;
}

/** Which log a data folder belongs to, beside the log: an emptied store, a lost write-ahead log or another cluster's log is refused. */
export class LogMemory {
  private readonly path: string;

  constructor(private readonly folder: string) {
    this.path = join(folder, 'log.json');
  }

  /** @throws ForeignLogError when the log is not the one that the folder remembers, or ends before what was seen of it */
  async check(identity: LogIdentity): Promise<void> {
    const known = this.read();
    if (!known) return;
    try {
      const found = await identity.origin();
      if (found?.id !== known.origin.id) throw new LogReplacedError(known.origin, found);
      await identity.holdTo(known.last);
    } catch (error) {
      throw error instanceof LogReplacedError ? new ForeignLogError(this.folder, error) : error;
    }
  }

  remember(origin: LogMark | undefined, last: LogMark | undefined): void {
    if (!origin || !last) return;
    makeFolder(this.folder);
    // Written beside and renamed: several processes of one cluster remember the same log.
    const temporary = `${this.path}.${process.pid}.new`;
    writeFileSync(temporary, `${JSON.stringify({ origin, last } satisfies Remembered)}\n`, { mode: 0o600 });
    renameSync(temporary, this.path);
  }

  private read(): Remembered | undefined {
    try {
      const { origin, last } = JSON.parse(readFileSync(this.path, 'utf8')) as Remembered;
      return typeof origin?.id === 'string' && typeof last?.id === 'string' ? { origin, last } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** A data folder whose log is another one by now. */
export class ForeignLogError extends Error {
  override name = 'ForeignLogError';

  constructor(
    readonly folder: string,
    { followed, found }: LogReplacedError,
  ) {
    const there = found ? `begins or goes on with event ${found.id} at position ${found.position}` : 'has no event there';
    super(`${folder} belongs to a log with event ${followed.id} at position ${followed.position}; the log that is there now ${there}`);
  }
}
