import type { VirtualClock } from '#libs/control-loop';
import {
  LogUnavailableError,
  OutcomeUnknownError,
  type AppendResult,
  type EventLog,
  type RecordedEvent,
  type SubscriptionHandlers,
} from '#libs/event-log';
import type { Chance } from '#libs/kernel';

/** How often, in a thousand appends, each thing goes wrong. */
export interface Faults {
  refused: number;
  /** Written, and no answer came. */
  answerLost: number;
  /** Written late. */
  late: number;
  /** Answered late. */
  answeredLate: number;
  /** In a thousand batches: delivered again, delivered late, or the store goes away for 1 to 90 s. */
  again: number;
  lagging: number;
  away: number;
  /** In a thousand batches: nobody hears of it before the next one comes, or a look for what may have come. */
  lost: number;
}

/** Between two looks for what nobody was told of, ms. */
const lookMs = 3_000;

/** A log as one process reaches it: over a line that fails, and no more at all once the process is dead. */
export class FaultyLog {
  private isDead = false;
  private appendsLeft = Infinity;
  private awayUntil = 0;
  /** So much has gone wrong. */
  happened = 0;
  private count = 0;
  /** Written, and the reader has not been told. */
  private untold: RecordedEvent[] = [];
  /** Deliveries wait for one another. */
  private delivered: Promise<void> = Promise.resolve();
  /** Nothing goes wrong while it is absent. */
  faults: Faults | undefined;

  constructor(
    private readonly inner: EventLog,
    private readonly clock: VirtualClock,
    private readonly chance: Chance,
    /** The process ends. */
    private readonly died: () => void = () => undefined,
  ) {}

  /** As after `kill -9`: nothing that the process does from now on is in the log. What it still believes is of no account. */
  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.died();
  }

  /** As `kill`, at the append after so many more. */
  killAfter(appends: number): void {
    this.appendsLeft = appends;
  }

  get log(): EventLog {
    const log = Object.create(this.inner) as EventLog;
    log.append = (...args) => this.append(...args);
    log.readStream = (...args) => this.reachable().readStream(...args);
    log.subscribe = (options, handlers) => this.inner.subscribe(options, this.lineTo(handlers));
    return log;
  }

  private async append(...args: Parameters<EventLog['append']>): Promise<AppendResult> {
    if (this.appendsLeft-- <= 0) this.kill();
    this.assertAlive();
    const { faults } = this;
    if (!faults) return this.inner.append(...args);
    if (this.clock.now() < this.awayUntil) throw new LogUnavailableError('the store is away');
    if (this.happens(faults.away)) this.awayUntil = this.clock.now() + 1_000 + this.draw(89_000);
    if (this.happens(faults.refused)) throw new LogUnavailableError('refused');
    if (this.happens(faults.late)) await this.pass();
    this.assertAlive();
    const written = this.inner.append(...args);
    // Whoever asked hears of a refusal later.
    written.catch(() => undefined);
    if (this.happens(faults.answerLost)) {
      await written;
      throw new OutcomeUnknownError('no answer came');
    }
    if (this.happens(faults.answeredLate)) await this.pass();
    return written;
  }

  private reachable(): EventLog {
    this.assertAlive();
    if (this.faults && this.clock.now() < this.awayUntil) throw new LogUnavailableError('the store is away');
    return this.inner;
  }

  private assertAlive(): void {
    if (this.isDead) throw new LogUnavailableError('this process is dead');
  }

  private lineTo(handlers: SubscriptionHandlers): SubscriptionHandlers {
    return {
      ...handlers,
      events: (batch) => {
        const { faults } = this;
        if (!faults || this.isDead) return this.catchUp(handlers, batch);
        if (faults.lost > 0 && this.happens(faults.lost)) return this.lose(handlers, batch);
        const isLate = this.happens(faults.lagging);
        const again = this.happens(faults.again);
        const told = this.withUntold(batch);
        this.delivered = this.delivered.then(() => this.deliver(handlers, told, isLate, again));
        return this.delivered;
      },
      caughtUp: () => {
        const told = this.catchUp(handlers, []);
        return told ? told.then(() => handlers.caughtUp?.()) : handlers.caughtUp?.();
      },
    };
  }

  /** Delivers what nobody was told of, with what comes now. */
  private catchUp(handlers: SubscriptionHandlers, batch: readonly RecordedEvent[]): void | Promise<void> {
    const told = this.withUntold(batch);
    if (told.length > 0) return handlers.events(told);
  }

  private lose(handlers: SubscriptionHandlers, batch: readonly RecordedEvent[]): void {
    this.untold.push(...batch);
    this.clock.at(this.clock.now() + lookMs, () => {
      this.delivered = this.delivered.then(() => this.catchUp(handlers, []));
    });
  }

  private withUntold(batch: readonly RecordedEvent[]): readonly RecordedEvent[] {
    if (this.untold.length === 0) return batch;
    return [...this.untold.splice(0), ...batch];
  }

  private async deliver(handlers: SubscriptionHandlers, batch: readonly RecordedEvent[], isLate: boolean, again: boolean): Promise<void> {
    if (isLate) await this.pass();
    for (let time = 0; time < (again ? 2 : 1); time++) await handlers.events(batch);
  }

  /** Some time passes. */
  private pass(): Promise<void> {
    const time = this.clock.now() + 1 + this.draw(2_000);
    return new Promise((resolve) => this.clock.at(time, resolve));
  }

  private happens(inThousand: number): boolean {
    const does = this.draw(1_000) < inThousand;
    if (does) this.happened++;
    return does;
  }

  private draw(bound: number): number {
    return this.chance.index(bound, `fault/${this.count++}`);
  }
}
