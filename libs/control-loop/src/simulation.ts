import type { VirtualClock } from './clock';
import type { ClusterRuntime } from './runtime';

/** Rounds without an end in sight at one moment of virtual time: a livelock, and our bug. */
const roundsMax = 1_000_000;

/**
 * Runs controllers in virtual time: everything that is due happens, then time jumps to the next moment at which something is due. The
 * same log, seed and actions give the same events.
 */
export class SimulationExecutive {
  constructor(
    private readonly runtime: Pick<ClusterRuntime, 'pending'>,
    private readonly clock: VirtualClock,
  ) {}

  /** Lets everything happen that needs no time to pass. */
  async settle(): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      // Everything in memory is promises and microtasks; one pass of the event loop runs all that are ready.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.runtime.pending === 0) return;
      // Only a wait for time is left (a reviewer that is not there): let the next appointment come.
      const next = this.clock.next();
      if (round > 0 && round % idleRounds === 0 && next !== undefined) this.clock.advanceTo(next);
    }
    throw new Error(`no rest at cluster time ${this.clock.now()} after ${roundsMax} rounds`);
  }

  /** Lets time pass up to `time` (ms since the epoch), stopping at every appointment on the way. */
  async runUntil(time: number): Promise<void> {
    await this.settle();
    for (let next = this.clock.next(); next !== undefined && next <= time; next = this.clock.next()) {
      this.clock.advanceTo(next);
      await this.settle();
    }
    this.clock.advanceTo(time);
    await this.settle();
  }

  async runFor(ms: number): Promise<void> {
    await this.runUntil(this.clock.now() + ms);
  }

  /** Runs until nothing is due any more, or `limitMs` have passed. Gives whether rest was reached. */
  async runToRest(limitMs: number): Promise<boolean> {
    const end = this.clock.now() + limitMs;
    await this.settle();
    for (let next = this.clock.next(); next !== undefined; next = this.clock.next()) {
      if (next > end) return false;
      this.clock.advanceTo(next);
      await this.settle();
    }
    return true;
  }
}

const idleRounds = 1_000;
