import { uptime } from 'node:os';
import type { Clock, Timer } from './clock';

/** Where a live clock looks, all in ms. */
export interface TimeSources {
  /** Since the epoch. Anybody may set it, forwards or back. */
  wall(): number;
  /** Since any moment; never goes back, and stands still while the machine sleeps. */
  monotonic(): number;
  /** Since the machine was started, its sleep included; as exact as a second. */
  uptime(): number;
}

const systemSources: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now(), uptime: () => uptime() * 1000 };

/** Cluster time ahead of the wall clock goes this fast until the two agree: graces and back-offs last hardly longer. */
export const speedAhead = 0.9;
/** Cluster time behind the wall clock goes at most this fast until the two agree. */
export const speedBehind = 2;
/** A difference between wall and monotonic clock that comes up between two looks is a step or a sleep from here on, ms. */
const stepMsMin = 1_000;
/** Shorter sleep is not told from the rounding of `uptime`, ms. */
const sleepMsMin = 2_000;
/** Longest single wait, ms: a sleep, a step, and what has fallen due by them is noticed within this. */
const waitMsMax = 1_000;

/**
 * Real time, optionally at a multiple of its speed. It runs on the monotonic clock and what the machine slept, so it never goes back and
 * never jumps; towards the wall clock it is only pulled: behind it, it runs at most twice as fast, ahead of it a tenth slower (decision 11).
 */
export class LiveClock implements Clock {
  /** Called when the wall clock was set: by how much, ms (negative: back). */
  onStep: (byMs: number) => void = () => undefined;
  /** Called once a clock that began in the past has come to the wall clock. */
  onCaughtUp: () => void = () => undefined;
  private start: number;
  private origin: number;
  private rate: number;
  private catchesUp = false;
  private time: number;
  private monotonic: number;
  /** Wall minus monotonic clock at the last look. */
  private offset: number;
  private slept: number;

  /**
   * @param speed cluster seconds a real second
   * @param start cluster time at `origin`, ms since the epoch; by default the wall clock's
   * @param origin real time, ms since the epoch, by default now; processes that are given the same three run by the same clock
   */
  constructor(
    speed = 1,
    start?: number,
    origin?: number,
    private readonly sources: TimeSources = systemSources,
  ) {
    const wall = sources.wall();
    this.rate = speed;
    this.start = start ?? wall;
    this.origin = origin ?? wall;
    this.monotonic = sources.monotonic();
    this.offset = wall - this.monotonic;
    this.slept = sources.uptime() - this.monotonic;
    this.time = this.aimAt(wall);
  }

  /** A clock that begins in the past, runs faster than real time, and goes with the wall clock once it has come to it. */
  static catchingUp(
    speed: number,
    { behindMs = 0, start, origin }: { behindMs?: number; start?: number; origin?: number },
    sources: TimeSources = systemSources,
  ): LiveClock {
    const clock = new LiveClock(speed, start ?? sources.wall() - behindMs, origin, sources);
    const wall = sources.wall();
    clock.catchesUp = clock.time < wall;
    if (!clock.catchesUp) clock.goWith(wall);
    clock.time = Math.min(clock.time, wall);
    return clock;
  }

  /** Cluster seconds a real second. */
  get speed(): number {
    return this.rate;
  }

  /** How long it will take to come to the wall clock, ms of real time; undefined: it is not on its way there. */
  catchesUpIn(): number | undefined {
    return this.catchesUp ? Math.max(0, this.sources.wall() - this.now()) / (this.rate - 1) : undefined;
  }

  now(): number {
    const wall = this.sources.wall();
    const { elapsed, set } = this.sinceLastLook(wall);
    const rateBefore = this.rate;
    if (this.catchesUp && this.aimAt(wall - set) >= wall) this.goWith(wall);
    const slowest = this.time + elapsed * this.rate * speedAhead;
    const fastest = this.time + elapsed * rateBefore * speedBehind;
    // A step counts from the look at which it is noticed, not from some earlier one: so processes that look at other times agree.
    this.time = Math.min(Math.max(this.aimAt(wall - set), slowest), fastest);
    return Math.floor(this.time);
  }

  private goWith(wall: number): void {
    this.catchesUp = false;
    this.rate = 1;
    this.start = wall;
    this.origin = wall;
    this.onCaughtUp();
  }

  /** How far cluster time is ahead of where the wall clock would have it, ms. */
  ahead(): number {
    return this.now() - this.aimAt(this.sources.wall());
  }

  inRealMs(ms: number): number {
    return ms * this.rate;
  }

  /** Cluster time never goes back: a cluster may be ahead of the wall clock when it is resumed, or another process a little when it writes. */
  notBefore(time: number): void {
    const behind = time - this.now();
    if (behind <= 0) return;
    this.time = time;
    // A cluster with a speed of its own has left the wall clock behind for good.
    if (this.rate !== 1) this.start += behind;
  }

  at(time: number, callback: () => void): Timer {
    const timer = { handle: undefined as NodeJS.Timeout | undefined };
    const wait = (): void => {
      const now = this.now();
      const fast = this.time < this.aimAt(this.sources.wall()) - 1 ? speedBehind : 1;
      const left = (time - now) / (this.rate * fast);
      timer.handle = setTimeout(() => (this.now() < time ? wait() : callback()), Math.min(Math.max(0, Math.ceil(left)), waitMsMax));
      timer.handle.unref?.();
    };
    wait();
    return { cancel: () => clearTimeout(timer.handle) };
  }

  /** Where cluster time should be when the wall clock shows `wall`; ahead at the start, it lets the wall clock catch up. */
  private aimAt(wall: number): number {
    if (this.rate !== 1) return this.start + (wall - this.origin) * this.rate;
    const since = wall - this.origin;
    return Math.max(wall, this.start + since * (since > 0 ? speedAhead : 1));
  }

  /** Real time since the last look, the machine's sleep included, and by how much the wall clock was set meanwhile; ms. */
  private sinceLastLook(wall: number): { elapsed: number; set: number } {
    const monotonic = this.sources.monotonic();
    const passed = Math.max(0, monotonic - this.monotonic);
    this.monotonic = monotonic;
    const stepped = wall - monotonic - this.offset;
    this.offset += stepped;
    if (Math.abs(stepped) < stepMsMin) return { elapsed: passed, set: 0 };
    const slept = this.sleptSince(monotonic);
    const set = stepped - slept;
    if (Math.abs(set) >= sleepMsMin) this.onStep(set);
    return { elapsed: passed + slept, set };
  }

  private sleptSince(monotonic: number): number {
    const slept = this.sources.uptime() - monotonic;
    const more = slept - this.slept;
    if (more < sleepMsMin) return 0;
    this.slept = slept;
    return more;
  }
}
