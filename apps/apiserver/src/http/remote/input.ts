/** What a client sends on one stream, handed on piece by piece; while there is more than one, the client is asked to wait. */
export class Input {
  private readonly waiting: (Buffer | undefined)[] = [];
  private onBytes: ((bytes: Buffer) => Promise<void>) | undefined;
  private onEnd: () => void = () => undefined;
  private isBusy = false;
  private isOver = false;

  constructor(private readonly flow: { pause(): void; resume(): void }) {}

  listen(callback: (bytes: Buffer) => Promise<void>): void {
    this.onBytes = callback;
    void this.next();
  }

  listenForEnd(callback: () => void): void {
    this.onEnd = callback;
    void this.next();
  }

  /** `undefined` is the end. */
  push(bytes: Buffer | undefined): void {
    if (this.isOver) return;
    this.isOver = bytes === undefined;
    this.waiting.push(bytes);
    if (this.isBusy) this.flow.pause();
    void this.next();
  }

  private async next(): Promise<void> {
    if (this.isBusy || !this.onBytes) return;
    this.isBusy = true;
    while (this.waiting.length > 0) {
      const bytes = this.waiting.shift();
      if (bytes === undefined) this.onEnd();
      else await this.onBytes(bytes);
    }
    this.isBusy = false;
    this.flow.resume();
  }
}
