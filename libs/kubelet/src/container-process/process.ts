/** What a simulated program does: it writes, or lets time pass. */
export type Deed = { out: string | Buffer } | { err: string } | { waitMs: number };

/** It waits for more of its input. */
export const wantsInput = { wants: 'input' } as const;

/** What it is given: bytes, the end of its input, or Ctrl-C. */
export type Given = Buffer | 'end' | 'interrupt';

/** A running program: what it does, one thing after the other, and the code that it ends with. Whoever runs it decides how time passes. */
export type Process = Generator<Deed | typeof wantsInput, number, Given | undefined>;

/** A piece of a program that gives something else than an exit code. */
export type Part<T> = Generator<Deed | typeof wantsInput, T, Given | undefined>;

/** A program that takes no time and says nothing. */
export function* ended(run: () => number): Process {
  yield* [];
  return run();
}

/** The program does what is not simulated: a program that is not known, or a known one in a way that is not. */
export class NotSimulatedError extends Error {
  override name = 'NotSimulatedError';
}

/** Ctrl-C, at who reads. */
export class InterruptError extends Error {
  override name = 'InterruptError';
}

/** It was followed for as many steps as a program is. */
export class TooManyStepsError extends Error {
  override name = 'TooManyStepsError';
}

/** Steps that a program is followed for without a pause: commands, lines and pieces of input. */
export const stepsMax = 100_000;

/** Counts what a program does, so that none can hold up the process that follows it. */
export class Steps {
  private left = stepsMax;

  /** @throws TooManyStepsError */
  take(count = 1): void {
    this.left -= count;
    if (this.left < 0) throw new TooManyStepsError(`more than ${stepsMax} steps`);
  }

  /** Others had their turn meanwhile. */
  renew(): void {
    this.left = stepsMax;
  }
}

/** Cluster time where a program is, ms since the epoch. */
export interface ProcessClock {
  now: number;
}
