import type { Readable } from 'node:stream';
import type { Connection } from './connection';

/**
 * Takes objects from one of the client's streams, as many at a time as there are. Stopping early reads the rest away: a
 * call with unread messages never ends, and the client would wait for it when it is disposed of.
 */
export class StreamReader<T> {
  private failure: Error | undefined;
  private over = false;
  private signal: (() => void) | undefined;

  private readonly forget: () => void;

  constructor(
    private readonly stream: Readable,
    connection: Connection,
  ) {
    this.forget = connection.onRenewal((error) => {
      this.finish(error);
      this.readAway();
    });
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

  /** Nothing after a failure: what is left may have a gap. */
  take(max: number): T[] {
    const taken: T[] = [];
    if (this.failure) return taken;
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
    this.readAway();
  }

  private readAway(): void {
    this.stream.removeAllListeners('readable');
    this.stream.resume();
  }

  private finish(error?: Error): void {
    this.failure ??= error;
    this.over = true;
    this.forget();
    this.wake();
  }
}
