import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Seal } from '#libs/cluster-state';
import { LogReplacedError, makeFolder, writeWhole, type LogMark } from '#libs/event-log';
import type { LogIdentity } from './log-identity';

interface Remembered {
  origin: LogMark;
  /** The last event that was seen here. */
  last: LogMark;
  /** Of everything that was in the log when its cluster was last stopped. */
  seal?: Seal;
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

  /**
   * What was seen earlier, and came later in the log, stays: several processes of one cluster remember the same log.
   * @param seal of all that is in the log; absent: the one that is remembered stays
   */
  remember(origin: LogMark | undefined, last: LogMark | undefined, seal?: Seal): void {
    if (!origin || !last) return;
    const read = this.read();
    const known = read?.origin.id === origin.id ? read : undefined;
    const latest = known && known.last.position > last.position ? known.last : last;
    makeFolder(this.folder);
    writeWhole(this.path, `${JSON.stringify({ origin, last: latest, seal: seal ?? known?.seal } satisfies Remembered)}\n`);
  }

  /** Of all that was in the log when its cluster was last stopped; undefined when it never was. */
  seal(): Seal | undefined {
    return this.read()?.seal;
  }

  private read(): Remembered | undefined {
    try {
      const { origin, last, seal } = JSON.parse(readFileSync(this.path, 'utf8')) as Remembered;
      return typeof origin?.id === 'string' && typeof last?.id === 'string' ? { origin, last, seal } : undefined;
    } catch {
      return undefined;
    }
  }
}

/** The log in a data folder is not the one that the folder remembers. */
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
