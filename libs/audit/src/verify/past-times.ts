import type { FoldedAppend } from '#libs/cluster-state';
import { firstAfter } from './first-after';

/** Entries kept at most. */
const timesMax = 65_536;
/** What is too old is let go of when there is so much of it. */
const framesStep = 1_024;

/** Cluster time at positions a little while ago, for whoever reads all streams but some. */
export class PastTimes {
  /** Where it moved on: by position, ascending in both. */
  private times: { position: number; time: number }[] = [];
  private frames = 0;

  /**
   * @param lag positions that are looked back over
   * @param except names of the streams that are not read begin so
   */
  constructor(
    private readonly lag = Infinity,
    private readonly except: readonly string[] = [],
  ) {}

  folded({ position, time, stream }: FoldedAppend): void {
    const last = this.times[this.times.length - 1];
    if ((!last || time > last.time) && !this.except.some((prefix) => stream.startsWith(prefix))) this.times.push({ position, time });
    if (++this.frames % framesStep === 0) this.forget(position - this.lag);
  }

  /** The latest time of all that was read up to the position, ms; undefined when that is too long ago, or before the first event. */
  at(position: number): number | undefined {
    return this.times[firstAfter(this.times, position) - 1]?.time;
  }

  /** The last one before says which time it was there. */
  private forget(position: number): void {
    const past = Math.max(firstAfter(this.times, position) - 1, this.times.length - timesMax);
    if (past > 0) this.times = this.times.slice(past);
  }
}
