import type { EventFilter, EventLog, Position, Subscription, SubscriptionHandlers } from '../port';

/** First what a log has up to a position, then what follows it somewhere else. */
export class ChainedSubscription implements Subscription {
  private current: Subscription;
  private closed = false;
  private hasSwitched = false;

  /** @param end of the first log; what it has later is not delivered */
  constructor(
    first: EventLog,
    options: { after: Position | 'start'; filter: EventFilter | undefined },
    end: Position,
    handlers: SubscriptionHandlers,
    private readonly next: () => Subscription,
  ) {
    this.current = first.subscribe(options, {
      events: (batch) => {
        if (this.hasSwitched) return;
        const seen = batch.filter(({ position }) => position <= end);
        const isOver = seen.length < batch.length;
        const handled = seen.length > 0 ? handlers.events(seen) : undefined;
        if (!isOver) return handled;
        if (handled) return handled.then(() => this.proceed());
        this.proceed();
      },
      caughtUp: () => this.proceed(),
      failed: (error) => {
        if (!this.hasSwitched) handlers.failed(error);
      },
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.current.close();
  }

  private proceed(): void {
    if (this.hasSwitched || this.closed) return;
    this.hasSwitched = true;
    void this.current.close();
    this.current = this.next();
  }
}
