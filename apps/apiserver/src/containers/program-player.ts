import type { Given, Started } from '#libs/kubelet';
import { NotSimulatedError, TooManyStepsError } from '#libs/kubelet';

/** Longest that is waited at a time, ms: then the cluster's clock is looked at again. */
const napMaxMs = 1_000;
/** What a shell says of a program that did not come to an end by itself. */
const killedCode = 137;
const notRunnableCode = 126;

export interface PlayerCalls {
  /** What is written, and when, ms from the program's start. */
  written(text: string | Buffer, stream: 'stdout' | 'stderr', atMs: number): void;
  /** It waits for input. */
  input?(): Promise<Given>;
  /** Resolves when more may be written. */
  taken?(): Promise<void>;
}

/** Pieces that are written without a look at who reads them. */
const piecesMax = 256;

/** Lets a program go on as cluster time does. */
export class ProgramPlayer {
  private atMs = 0;
  /** Nobody waits for what comes in time. */
  private isHurried = false;
  private wake: () => void = () => undefined;

  /**
   * @param startedAt cluster time of the program's start, ms since the epoch
   * @param now the cluster's clock
   */
  constructor(
    private readonly started: Started,
    private readonly startedAt: number,
    private readonly now: () => number,
    private readonly calls: PlayerCalls,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake());
  }

  /** How long it has run, ms. */
  get ranMs(): number {
    return this.atMs;
  }

  /** Its exit code, once it has ended; undefined: it was given up. */
  async play(): Promise<number | undefined> {
    try {
      return await this.steps();
    } catch (error) {
      if (error instanceof NotSimulatedError) {
        this.calls.written(`sh: kubereel simulates containers: ${error.message}\n`, 'stderr', this.atMs);
        return notRunnableCode;
      }
      if (!(error instanceof TooManyStepsError || (error as Error).name === 'EndlessError')) throw error;
      this.calls.written('(kubereel follows this program no further: it goes on without a pause)\n', 'stderr', this.atMs);
      return killedCode;
    }
  }

  /** What is to come up to a moment comes now. @param untilMs from the program's start */
  hurry(): void {
    this.isHurried = true;
    this.wake();
  }

  private async steps(): Promise<number | undefined> {
    const { process, machine } = this.started;
    let given: Given | undefined;
    let pieces = 0;
    while (!this.signal.aborted) {
      const { done, value } = process.next(given);
      given = undefined;
      if (done) return value;
      if ('waitMs' in value) {
        this.atMs += value.waitMs;
        if (await this.waitFor(this.startedAt + this.atMs)) machine.steps.renew();
        if (this.isHurried) return undefined;
      } else if ('wants' in value) {
        if (!this.calls.input) return undefined;
        given = await this.calls.input();
        machine.steps.renew();
        this.atMs = Math.max(this.atMs, this.now() - this.startedAt);
        machine.clock.now = Math.max(machine.clock.now, this.startedAt + this.atMs);
      } else {
        if ('out' in value) this.calls.written(value.out, 'stdout', this.atMs);
        else this.calls.written(value.err, 'stderr', this.atMs);
        if (++pieces % piecesMax === 0) await this.calls.taken?.();
      }
    }
    return undefined;
  }

  private waitFor(time: number): Promise<boolean> {
    return untilTime(time, this.now, {
      isOver: () => this.signal.aborted || this.isHurried,
      wakeBy: (wake) => (this.wake = wake),
    });
  }
}

/**
 * Waits until the cluster's clock says this time, or it is over.
 * @returns whether there was anything to wait for
 */
export async function untilTime(
  time: number,
  now: () => number,
  { isOver, wakeBy }: { isOver: () => boolean; wakeBy: (wake: () => void) => void },
): Promise<boolean> {
  let hasWaited = false;
  for (let left = time - now(); left > 0 && !isOver(); left = time - now()) {
    hasWaited = true;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(left, napMaxMs));
      wakeBy(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  return hasWaited;
}
