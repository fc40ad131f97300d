import { LogTimeoutError, OutcomeUnknownError } from '../errors';
import type { AppendResult, EventToAppend, ExpectedRevision, WaitSignal } from '../port';

/** What is to be appended. */
export interface AppendRequest {
  stream: string;
  events: readonly EventToAppend[];
  expected: ExpectedRevision;
  /** Data, metadata and types of the events. */
  bytes: number;
}

export interface PendingOptions {
  /** Its place among all that were handed over. */
  order: number;
  msMax: number;
  signal?: WaitSignal;
  /** Called once when it is given up, with the reason, before it is answered. */
  givenUp(append: PendingAppend): string | undefined;
}

/** An append that waits for its answer, as long as somebody waits for it and its time has not run out. */
export class PendingAppend {
  readonly result: Promise<AppendResult>;
  readonly order: number;
  /** It was sent, and no answer tells what became of it. */
  uncertain = false;
  settled = false;
  private readonly timer: NodeJS.Timeout;
  private settle!: { resolve(result: AppendResult): void; reject(error: Error): void };

  constructor(
    readonly request: AppendRequest,
    private readonly options: PendingOptions,
  ) {
    const { msMax, signal, order } = options;
    this.order = order;
    this.result = new Promise((resolve, reject) => (this.settle = { resolve, reject }));
    this.timer = setTimeout(() => this.giveUp(`no append within ${msMax / 1000} s`), msMax);
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  resolve(result: AppendResult): void {
    this.release();
    this.settle.resolve(result);
  }

  reject(error: Error): void {
    this.release();
    this.settle.reject(error);
  }

  /** Nobody waits for it. */
  readonly onAbort = (): void => this.giveUp((this.options.signal?.reason as Error | undefined)?.message ?? 'nobody waits any more');

  /** On its way it can no longer be stopped, but it is not sent again. */
  private giveUp(why: string): void {
    const cause = this.options.givenUp(this);
    const text = cause === undefined ? why : `${why}: ${cause}`;
    this.reject(
      this.uncertain
        ? new OutcomeUnknownError(`${text}; it had been sent, and is perhaps written`)
        : new LogTimeoutError(`${text}; nothing was written`),
    );
  }

  private release(): void {
    this.settled = true;
    clearTimeout(this.timer);
    this.options.signal?.removeEventListener('abort', this.onAbort);
  }
}
