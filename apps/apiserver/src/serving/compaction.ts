import type { CompactionOptions } from '#libs/app-shell';
import { HistoryForgottenError } from '#libs/event-log';

/** What compaction has to know of the log. */
export interface CompactedLog {
  readonly position: number;
  /** Cluster time, ms. */
  readonly time: number;
  /** Position of the last append that is from a time or before; 0 when all are later. */
  lastUpTo(time: number): Promise<number>;
}

/** The place moves on in so many steps in the time after which versions expire. */
const stepsPerAge = 32;

/**
 * Lets old versions expire, though the log has them: a server with a compacted store answers 410 to whoever asks for them, and a client that
 * has to live with that can be tried here. What came before the process began counts as what comes now; reads under `/at/` see everything.
 */
export class Compaction {
  private expired = 0;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: CompactionOptions,
    private readonly log: CompactedLog,
  ) {}

  /** @throws HistoryForgottenError where the version has expired */
  async keeps(version: number): Promise<void> {
    const oldest = await this.oldest();
    if (version < oldest) throw new HistoryForgottenError(version, oldest);
  }

  /** The oldest version that can be asked for; never moves back. */
  private async oldest(): Promise<number> {
    const { ageMs, events, version } = this.options;
    const { log } = this;
    if (ageMs !== undefined && log.time - this.lookedAt >= ageMs / stepsPerAge) {
      this.lookedAt = log.time;
      this.expireBefore(await log.lastUpTo(log.time - ageMs));
    }
    if (events !== undefined) this.expireBefore(log.position - events);
    if (version !== undefined) this.expireBefore(version);
    return this.expired;
  }

  private expireBefore(position: number): void {
    this.expired = Math.max(this.expired, position);
  }
}
