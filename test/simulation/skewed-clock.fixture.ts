import type { Clock, LeadTime, Timer, VirtualClock } from '#libs/control-loop';

interface Appointment {
  time: number;
  callback: () => void;
  timer?: Timer;
}

/** The clock of one machine among several: none shows the same time, and none stays behind what it has read in the log. */
export class SkewedClock implements Clock {
  private readonly appointments = new Set<Appointment>();

  constructor(
    private readonly base: VirtualClock,
    /** Ahead of the others by so much, ms. */
    private ahead: number,
  ) {}

  now(): number {
    return this.base.now() + this.ahead;
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

  inRealMs(ms: number): number {
    return this.base.inRealMs(ms);
  }

  notBefore(time: number): void {
    const behind = time - this.now();
    if (behind <= 0) return;
    this.ahead += behind;
    for (const appointment of this.appointments) this.arm(appointment);
  }

  private arm(appointment: Appointment): void {
    appointment.timer?.cancel();
    appointment.timer = this.base.at(appointment.time - this.ahead, () => {
      this.appointments.delete(appointment);
      appointment.callback();
    });
  }
}

/** Real time, by which terms of leads are measured, as virtual time passes. It stands still for who `isOver`. */
export function leadTime(base: VirtualClock, isOver: () => boolean): LeadTime {
  const speed = base.inRealMs(1);
  return {
    now: () => base.now() / speed,
    every: (ms, callback) => {
      let timer: Timer | undefined;
      const arm = (): void => {
        timer = isOver()
          ? undefined
          : base.at(base.now() + ms * speed, () => {
              arm();
              if (!isOver()) callback();
            });
      };
      arm();
      return { cancel: () => timer?.cancel() };
    },
  };
}
