import type { WaitSignal } from '#libs/event-log';

/** Until when a call may take, all that it waits for together, unless its caller gives up before. */
export class Deadline {
  private reason: string | undefined;
  private readonly waiting = new Set<() => void>();
  private readonly timer: NodeJS.Timeout;
  private readonly aborted = (): void => this.end('context canceled');

  constructor(
    ms: number,
    private readonly signal?: WaitSignal,
  ) {
    this.timer = setTimeout(() => this.end('context deadline exceeded'), ms);
    signal?.addEventListener('abort', this.aborted, { once: true });
    if (signal?.aborted) this.aborted();
  }

  get isOver(): boolean {
    return this.reason !== undefined;
  }

  /** Why it is over, in Go's words. */
  get why(): string {
    return this.reason ?? 'context canceled';
  }

  /** @returns takes it back */
  whenOver(act: () => void): () => void {
    this.waiting.add(act);
    return () => void this.waiting.delete(act);
  }

  /** @returns whether there is still time after it */
  wait(ms: number): Promise<boolean> {
    if (this.isOver) return Promise.resolve(false);
    return new Promise((done) => {
      const end = (): void => {
        clearTimeout(timer);
        takeBack();
        done(!this.isOver);
      };
      const timer = setTimeout(end, ms);
      const takeBack = this.whenOver(end);
    });
  }

  /** Nobody waits any more. */
  over(): void {
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.aborted);
    this.waiting.clear();
  }

  private end(reason: string): void {
    if (this.isOver) return;
    this.reason = reason;
    for (const act of this.waiting) act();
  }
}
