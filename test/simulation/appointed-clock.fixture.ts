import type { Clock, Timer, VirtualClock } from '#libs/control-loop';

interface Appointment {
  time: number;
  callback: () => void;
  timer?: Timer;
}

/** A clock of its own pace that virtual time wakes: what is to happen at a moment waits for it anew whenever the clock goes otherwise. */
export abstract class AppointedClock implements Clock {
  private readonly appointments = new Set<Appointment>();

  constructor(protected readonly base: VirtualClock) {}

  abstract now(): number;
  abstract notBefore(time: number): void;
  /** Virtual time at which this clock shows that moment as it goes now, ms. */
  protected abstract baseTimeOf(time: number): number;

  inRealMs(ms: number): number {
    return this.base.inRealMs(ms);
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

  protected armAll(): void {
    for (const appointment of this.appointments) this.arm(appointment);
  }

  /** It may be early, and waits on then: nobody is late. */
  private arm(appointment: Appointment): void {
    appointment.timer?.cancel();
    appointment.timer = this.base.at(this.baseTimeOf(appointment.time), () => {
      if (this.now() < appointment.time) return this.arm(appointment);
      this.appointments.delete(appointment);
      appointment.callback();
    });
  }
}
