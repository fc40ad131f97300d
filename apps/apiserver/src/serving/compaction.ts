import type { CompactionOptions } from '#libs/app-shell';
import { HistoryForgottenError } from '#libs/event-log';

/** What compaction has to know of the log. */
export interface CompactedLog {
  /** Cluster time, ms. */
  readonly time: number;
  /** Position of the last append that is from a time or before; 0 when all are later. */
  lastUpTo(time: number): Promise<number>;
  /** Positions of the events there are, newest first, in pages. */
  eventsBackwards(): AsyncIterable<readonly number[]>;
}

/** The place moves on in so many steps in the time after which versions expire. */
const stepsPerAge = 32;

/**
 * Lets old versions expire, though the log has them: a server with a compacted store answers 410 to whoever asks for them, and a client that
 * has to live with that can be tried here. What came before the process began counts as what comes now; reads under `/at/` see everything.
 */
export class Compaction {
  private expired = 0;
  /** Positions of the newest events, oldest first, where events are counted. */
  private newest: number[] = [];
  private filling: Promise<void> | undefined;
  private lookedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly options: CompactionOptions,
    private readonly log: CompactedLog,
  ) {}

  /** Events have been folded. */
  folded(events: readonly { position: number }[]): void {
    if (this.options.events === undefined) return;
    for (const { position } of events) this.newest.push(position);
    this.trim(this.options.events);
  }

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
    if (events !== undefined) await (this.filling ??= this.fill(events));
    if (version !== undefined) this.expireBefore(version);
    return this.expired;
  }

  /** Reads what came before the first event that was folded since. */
  private async fill(events: number): Promise<void> {
    const before: number[] = [];
    for await (const page of this.log.eventsBackwards()) {
      before.push(...page);
      if (before.length > events + this.newest.length) break;
    }
    const [first = Number.POSITIVE_INFINITY] = this.newest;
    this.newest = [...before.filter((position) => position < first).reverse(), ...this.newest];
    this.trim(events);
  }

  /** With so many events after it, a version is the oldest that can be asked for. */
  private trim(events: number): void {
    const expired = this.newest.length - events;
    if (expired <= 0) return;
    this.expireBefore(this.newest[expired - 1] as number);
    this.newest = this.newest.slice(expired);
  }

  private expireBefore(position: number): void {
    this.expired = Math.max(this.expired, position);
  }
}
