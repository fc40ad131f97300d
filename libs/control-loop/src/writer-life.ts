import { LogUnavailableError } from '#libs/event-log';
import { AppendNumbers, type AppendNumber } from './append-numbers';

/** Longest that appends under way are waited for before the last one, ms. */
const restMsMax = 500;

/** One writer's life in the log: the record of its start first, then its appends, each with its number, and the record of its stop last. */
export class WriterLife {
  private readonly numbers = new AppendNumbers();
  private phase: 'unborn' | 'living' | 'ended' = 'unborn';
  private starting: Promise<void> | undefined;
  private atRest: (() => void) | undefined;

  /** @param recordStart writes the first append, under its number */
  constructor(private readonly recordStart: (number: AppendNumber) => Promise<unknown>) {}

  /** Nothing has been written: what is to be written now waits for the record of the start, and is later than it. */
  get isUnborn(): boolean {
    return this.phase === 'unborn';
  }

  /** Several may wait for it; where it failed, the next one tries again. */
  begin(): Promise<void> {
    this.starting ??= this.write(this.recordStart).then(
      () => {
        if (this.phase === 'unborn') this.phase = 'living';
      },
      (error: unknown) => {
        this.starting = undefined;
        throw error;
      },
    );
    return this.starting;
  }

  /** Writes under the next number. @throws what `write` throws, and LogUnavailableError after the end */
  async numbered<T>(write: (number: AppendNumber) => Promise<T>): Promise<T> {
    if (this.phase === 'unborn') await this.begin();
    if (this.phase === 'ended') throw new LogUnavailableError('this process has ended');
    return this.write(write);
  }

  /** Writes the last append. Where appends stay without an answer there is none, as after a crash. A writer that wrote nothing ends so. */
  async end(write: (number: AppendNumber, absent: number[]) => Promise<unknown>): Promise<void> {
    const { phase } = this;
    this.phase = 'ended';
    if (phase !== 'living') return;
    if (!this.numbers.isAtRest) await this.rest();
    if (!this.numbers.isAtRest) return;
    await this.write((number) => write(number, this.numbers.absent()));
  }

  private async write<T>(write: (number: AppendNumber) => Promise<T>): Promise<T> {
    const number = this.numbers.take();
    try {
      const result = await write(number);
      this.numbers.written(number);
      return result;
    } catch (error) {
      this.numbers.failed(number, error);
      throw error;
    } finally {
      if (this.numbers.isAtRest) this.atRest?.();
    }
  }

  private rest(): Promise<void> {
    return new Promise((resolve) => {
      this.atRest = resolve;
      setTimeout(resolve, restMsMax).unref();
    });
  }
}
