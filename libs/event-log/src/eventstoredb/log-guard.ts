import { LogReplacedError, LogUnavailableError, type LogMark } from '../errors';

/** How the guard looks at the log; each call is tried once, bounded in time. */
export interface GuardedLog {
  /** The first event of the log, whatever it is. */
  first(): Promise<LogMark | undefined>;
  /** The event at a position, or the first one after it; undefined at the end of the log, and where the store says that none is. */
  at(mark: LogMark): Promise<LogMark | undefined>;
}

/** How long an event that was seen may be missing, ms: a node of a cluster that is behind catches up. */
export const BEHIND_MS_MAX = 10_000;

/**
 * Holds to the log that was followed. After a connection broke, nothing is appended or delivered before the newest event seen
 * has been found where it was: behind the same address there may be another log by then.
 */
export class LogGuard {
  private origin: LogMark | undefined;
  private newest: LogMark | undefined;
  private breaks = 0;
  private assuredAfter = 0;
  private behindSince: number | undefined;
  private replaced: LogReplacedError | undefined;
  private checking: Promise<void> | undefined;
  private learning: Promise<void> | undefined;

  constructor(
    private readonly log: GuardedLog,
    private readonly behindMsMax = BEHIND_MS_MAX,
  ) {}

  /** True when a connection broke and the log has not been looked at since. */
  get isSuspicious(): boolean {
    return this.breaks !== this.assuredAfter || this.replaced !== undefined;
  }

  /** An event of the log, seen or written. */
  note(position: number, id: string): void {
    if (this.newest === undefined || position > this.newest.position) this.newest = { position, id };
    if (!this.origin && !this.isSuspicious && !this.learning) this.learning = this.learn();
  }

  /** A connection broke. */
  suspect(): void {
    this.breaks += 1;
  }

  /** @throws LogReplacedError, for good; LogUnavailableError and the client's errors when that cannot be found out now */
  async assured(): Promise<void> {
    if (this.replaced) throw this.replaced;
    if (!this.isSuspicious && this.origin) return;
    this.checking ??= this.check().finally(() => (this.checking = undefined));
    await this.checking;
  }

  /** A log that was empty at first has a first event now. */
  private async learn(): Promise<void> {
    const { breaks } = this;
    const first = await this.log.first().catch(() => undefined);
    if (breaks === this.breaks) this.origin ??= first;
    this.learning = undefined;
  }

  private async check(): Promise<void> {
    const { breaks } = this;
    const first = await this.log.first();
    this.origin ??= first;
    // A log may lose its first events by scavenging, but never gets others before them.
    if (this.origin && (!first || (first.position <= this.origin.position && first.id !== this.origin.id))) this.fail(this.origin, first);
    if (this.newest && breaks > 0) await this.findAgain(this.newest);
    this.assuredAfter = breaks;
  }

  private async findAgain(mark: LogMark): Promise<void> {
    const found = await this.log.at(mark);
    if (!found) {
      this.behindSince ??= Date.now();
      if (Date.now() - this.behindSince > this.behindMsMax) this.fail(mark, undefined);
      throw new LogUnavailableError(`the event store has not come back to position ${mark.position} yet`);
    }
    this.behindSince = undefined;
    if (found.position !== mark.position || found.id !== mark.id) this.fail(mark, found.position === mark.position ? found : undefined);
  }

  private fail(followed: LogMark, found: LogMark | undefined): never {
    this.replaced = new LogReplacedError(followed, found);
    throw this.replaced;
  }
}
