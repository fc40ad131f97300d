import type { Readable } from 'node:stream';

/**
 * Takes objects from one of the client's streams, as many at a time as there are. Stopping early reads the rest away: a
 * call with unread messages never ends, and the client would wait for it when it is disposed of.
 */
export class StreamReader<T> {
  private failure: Error | undefined;
  private over = false;
  private signal: (() => void) | undefined;

  constructor(private readonly stream: Readable) {
    stream
      .on('readable', () => this.wake())
      .on('end', () => this.finish())
      .on('close', () => this.finish())
      .on('error', (error) => this.finish(error));
  }

  /** Objects received and not yet taken. */
  get buffered(): number {
    return this.stream.readableLength;
  }

  take(max: number): T[] {
    const taken: T[] = [];
    while (taken.length < max) {
      const one = this.stream.read() as T | null;
      if (one === null) break;
      taken.push(one);
    }
    return taken;
  }

  /** Settles when there may be more to take, or when woken: true; false at the end. @throws the stream's error */
  async more(): Promise<boolean> {
    if (this.failure) throw this.failure;
    if (this.over) return false;
    await new Promise<void>((resolve) => {
      this.signal = resolve;
    });
    return true;
  }

  wake(): void {
    const { signal } = this;
    this.signal = undefined;
    signal?.();
  }

  /** @param cancel ends the call */
  async stop(cancel: () => Promise<void>): Promise<void> {
    if (this.over) return;
    this.finish();
    await cancel().catch(() => undefined);
    this.stream.removeAllListeners('readable');
    this.stream.resume();
  }

  private finish(error?: Error): void {
    this.failure ??= error;
    this.over = true;
    this.wake();
  }
}
