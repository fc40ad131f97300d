import type { WaitSignal } from '#libs/event-log';

/** Longest that a write may take, ms of real time: whoever waits is told then, and nothing is written later. */
const writeMsMax = 10_000;

interface Closing {
  once(event: 'close', listener: () => void): unknown;
}

/** How long somebody waits for an answer. An AbortController would do, and costs each write more than the rest of its HTTP headers. */
export class Patience implements WaitSignal {
  /** When the client has gone, and when its time has run out; the reason says which. */
  aborted = false;
  reason: Error | undefined;
  private readonly listeners = new Set<() => void>();
  private isOver = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    response: Closing,
    private readonly msMax = writeMsMax,
  ) {
    response.once('close', () => {
      if (!this.isOver) this.abort(new Error('the client has gone'));
      this.over();
    });
  }

  /** The request has been read: from now on its time counts. */
  begin(): void {
    const { msMax } = this;
    if (!this.isOver) this.timer ??= setTimeout(() => this.abort(new Error(`not written within ${msMax / 1000} s`)), msMax);
  }

  /** The answer is there. */
  over(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  private abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}
