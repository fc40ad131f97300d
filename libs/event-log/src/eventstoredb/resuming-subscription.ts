import { LogUnavailableError } from '../errors';
import type { EventFilter, Position, SubscribeOptions, Subscription, SubscriptionHandlers } from '../port';
import { isRefusedPosition, isRetried, logError } from './client-errors';
import type { Feed } from './feed';

export interface FeedSource {
  open(after: Position | 'start', filter: EventFilter | undefined, checkpoint: Position | undefined): Promise<Feed>;
  /** Position of the last event of the log, whatever it is. */
  end(): Promise<Position | 'start'>;
  /** The client failed repeatedly. */
  renew(): Promise<void>;
  /** The subscription broke, or could not be opened. */
  broke(reason: string): void;
  /** Something has been received. */
  received(): void;
  /** Resolves when the log is the one that was followed; @throws LogReplacedError */
  assured(): Promise<void>;
}

const RETRY_MS_MIN = 25;
const RETRY_MS_MAX = 1_000;
const FAILURES_BEFORE_RENEWAL = 3;

/** A subscription that survives its connection: it goes on after the last event it has delivered, however long the store is away. */
export class ResumingSubscription implements Subscription {
  private closed = false;
  private feed: Feed | undefined;
  private after: Position | 'start' | 'end';
  /** Later than `after`: the server has searched up to there. */
  private checkpoint: Position | undefined;
  private failures = 0;
  private wakeUp: (() => void) | undefined;

  constructor(
    private readonly source: FeedSource,
    private readonly options: SubscribeOptions,
    private readonly handlers: SubscriptionHandlers,
    private readonly onOver: (self: ResumingSubscription) => void,
  ) {
    this.after = options.after;
    void this.run();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.onOver(this);
    this.wakeUp?.();
    await this.feed?.close();
  }

  private async run(): Promise<void> {
    while (!this.closed) {
      try {
        await this.follow();
      } catch (error) {
        if (this.closed) return;
        if (error instanceof HandlerError) return this.fail(error.cause);
        const failure = logError(error);
        this.source.broke(failure.message);
        if (!this.wasCheckpointRefused(error) && !isRetried(error)) return this.fail(failure);
        await this.pause();
      }
    }
  }

  private async follow(): Promise<void> {
    await this.source.assured();
    if (this.after === 'end') this.after = await this.source.end();
    const feed = await this.source.open(this.after, this.options.filter, this.checkpoint);
    this.feed = feed;
    if (this.closed) return feed.close();
    try {
      for (;;) {
        const item = await feed.next();
        if (this.closed) return;
        this.failures = 0;
        this.source.received();
        if (item.kind === 'caught-up') this.handle(() => this.handlers.caughtUp());
        else {
          if (item.events.length > 0) await this.handle(() => this.handlers.events(item.events));
          this.after = item.last;
          this.checkpoint = undefined;
        }
      }
    } catch (error) {
      const { searched } = feed;
      if (searched !== undefined && (this.after === 'start' || searched > this.after)) this.checkpoint = searched;
      await feed.close();
      throw error;
    }
  }

  /** Then the last event is the place to go on from. */
  private wasCheckpointRefused(error: unknown): boolean {
    if (this.checkpoint === undefined || !isRefusedPosition(error)) return false;
    this.checkpoint = undefined;
    return true;
  }

  /** Sets errors of the subscriber apart from those of the connection. */
  private handle<T>(call: () => T): T {
    try {
      const result = call();
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw new HandlerError(error);
      }) as T;
    } catch (error) {
      throw new HandlerError(error);
    }
  }

  private async pause(): Promise<void> {
    this.failures += 1;
    if (this.failures % FAILURES_BEFORE_RENEWAL === 0) await this.source.renew();
    const pauseMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (this.failures - 1));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private fail(error: Error): void {
    this.closed = true;
    this.onOver(this);
    void this.feed?.close();
    this.handlers.failed(error);
  }
}

class HandlerError extends Error {
  override readonly cause: Error;

  constructor(cause: unknown) {
    super('the subscriber failed');
    this.cause = cause instanceof Error ? cause : new LogUnavailableError(String(cause));
  }
}
