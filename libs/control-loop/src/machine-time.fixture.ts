import type { TimeSources } from './live-clock';

/** The clocks of a machine, in a test's hands. */
export class MachineTime implements TimeSources {
  private sinceStart = 0;
  private sleptMs = 0;

  /** @param wallMs what the wall clock shows at first, ms since the epoch. */
  constructor(private wallMs: number) {}

  wall = (): number => Math.floor(this.wallMs);
  monotonic = (): number => this.sinceStart;
  /** Whole seconds, as on the coarsest of systems. */
  uptime = (): number => Math.floor((this.sinceStart + this.sleptMs) / 1000) * 1000;

  pass(ms: number): void {
    this.sinceStart += ms;
    this.wallMs += ms;
  }

  sleep(ms: number): void {
    this.sleptMs += ms;
    this.wallMs += ms;
  }

  /** Somebody sets the wall clock: by so much, negative for back. */
  step(byMs: number): void {
    this.wallMs += byMs;
  }
}
