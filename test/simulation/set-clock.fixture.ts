import { LiveClock, speedBehind, type TimeSources, type VirtualClock } from '#libs/control-loop';
import { AppointedClock } from './appointed-clock.fixture';

/** The clocks of a machine: the wall clock is set now and then, the others go on. */
export class Machine implements TimeSources {
  private readonly watchers = new Set<() => void>();
  private readonly speed: number;

  /** @param ahead its wall clock is ahead of virtual time by so much real time, ms; negative: behind */
  constructor(
    private readonly base: VirtualClock,
    private ahead: number,
  ) {
    this.speed = base.inRealMs(1);
  }

  wall = (): number => this.monotonic() + this.ahead;
  monotonic = (): number => this.base.now() / this.speed;
  uptime = this.monotonic;

  /** Somebody sets the wall clock: by so much, ms; negative for back. */
  set(byMs: number): void {
    this.ahead += byMs;
    for (const watcher of this.watchers) watcher();
  }

  onSet(watcher: () => void): void {
    this.watchers.add(watcher);
  }
}

/** The clock of a process on a machine whose wall clock is set: as in a live cluster, but virtual time wakes it. */
export class SetClock extends AppointedClock {
  private readonly live: LiveClock;

  /** @param start virtual time at which processes that share a speed of their own begin, ms */
  constructor(base: VirtualClock, machine: Machine, start: number) {
    super(base);
    const speed = base.inRealMs(1);
    this.live = speed === 1 ? new LiveClock(1, undefined, undefined, machine) : new LiveClock(speed, start, start / speed, machine);
    machine.onSet(() => this.armAll());
  }

  now(): number {
    return this.live.now();
  }

  notBefore(time: number): void {
    if (time <= this.now()) return;
    this.live.notBefore(time);
    this.armAll();
  }

  protected baseTimeOf(time: number): number {
    const left = Math.max(0, time - this.now());
    return this.base.now() + Math.ceil(left / (this.isBehind() ? speedBehind : 1));
  }

  private isBehind(): boolean {
    return this.live.ahead() < -1;
  }
}
