import { LiveClock, speedBehind, type Clock, type TimeSources, type Timer, type VirtualClock } from '#libs/control-loop';

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

interface Appointment {
  time: number;
  callback: () => void;
  timer?: Timer;
}

/** The clock of a process on a machine whose wall clock is set: as in a live cluster, but virtual time wakes it. */
export class SetClock implements Clock {
  private readonly live: LiveClock;
  private readonly appointments = new Set<Appointment>();

  /** @param start virtual time at which processes that share a speed of their own begin, ms */
  constructor(
    private readonly base: VirtualClock,
    machine: Machine,
    start: number,
  ) {
    const speed = base.inRealMs(1);
    this.live = speed === 1 ? new LiveClock(1, undefined, undefined, machine) : new LiveClock(speed, start, start / speed, machine);
    machine.onSet(() => this.armAll());
  }

  now(): number {
    return this.live.now();
  }

  inRealMs(ms: number): number {
    return this.base.inRealMs(ms);
  }

  notBefore(time: number): void {
    if (time <= this.now()) return;
    this.live.notBefore(time);
    this.armAll();
  }

  at(time: number, callback: () => void): Timer {
    const appointment: Appointment = { time, callback };
    this.appointments.add(appointment);
    this.arm(appointment);
    return {
      cancel: () => {
        this.appointments.delete(appointment);
        appointment.timer?.cancel();
      },
    };
  }

  private armAll(): void {
    for (const appointment of this.appointments) this.arm(appointment);
  }

  /** It may be early, and waits on then: nobody is late. */
  private arm(appointment: Appointment): void {
    appointment.timer?.cancel();
    const left = Math.max(0, appointment.time - this.now());
    appointment.timer = this.base.at(this.base.now() + Math.ceil(left / (this.isBehind() ? speedBehind : 1)), () => {
      if (this.now() < appointment.time) return this.arm(appointment);
      this.appointments.delete(appointment);
      appointment.callback();
    });
  }

  private isBehind(): boolean {
    return this.live.ahead() < -1;
  }
}
