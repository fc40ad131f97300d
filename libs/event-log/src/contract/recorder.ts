import type { EventLog, RecordedEvent, SubscribeOptions, Subscription, SubscriptionHandlers } from '../port';

/** A subscription that writes down what it is given, and lets a test wait for a state of that. */
export class Recorder implements SubscriptionHandlers {
  readonly received: RecordedEvent[] = [];
  readonly batchSizes: number[] = [];
  /** How many events had been received at each caught-up signal. */
  readonly caughtUpAt: number[] = [];
  failure: Error | undefined;
  /** Deliveries that began before the one before had ended. */
  overlaps = 0;
  private busy = false;
  private waiting: { condition: () => boolean; resolve: () => void }[] = [];
  private subscription: Subscription | undefined;

  constructor(private readonly handle: (batch: readonly RecordedEvent[]) => void | Promise<void> = () => undefined) {}

  on(log: EventLog, options: SubscribeOptions): this {
    this.subscription = log.subscribe(options, this);
    return this;
  }

  async events(batch: readonly RecordedEvent[]): Promise<void> {
    if (this.busy) this.overlaps += 1;
    this.busy = true;
    this.batchSizes.push(batch.length);
    try {
      await this.handle(batch);
    } finally {
      this.busy = false;
    }
    this.received.push(...batch);
    this.check();
  }

  caughtUp(): void {
    this.caughtUpAt.push(this.received.length);
    this.check();
  }

  failed(error: Error): void {
    this.failure = error;
    this.check();
  }

  until(condition: (self: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ condition: () => condition(this), resolve });
      this.check();
    });
  }

  count(count: number): Promise<void> {
    return this.until((self) => self.received.length >= count);
  }

  whenCaughtUp(): Promise<void> {
    return this.until((self) => self.caughtUpAt.length > 0);
  }

  get ids(): string[] {
    return this.received.map((event) => event.id);
  }

  async close(): Promise<void> {
    await this.subscription?.close();
  }

  private check(): void {
    const ready = this.waiting.filter(({ condition }) => condition());
    this.waiting = this.waiting.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }
}
