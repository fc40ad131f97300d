import { KeyedHeap } from '#libs/kernel';

export interface Timer {
  cancel(): void;
}

/** The one source of time. Cluster time, ms since the epoch; nothing below the shells reads another clock. */
export interface Clock {
  now(): number;
  /** Calls back once, when cluster time has reached `time`. */
  at(time: number, callback: () => void): Timer;
  /** Cluster time that passes in so much real time, both ms; where time is not real, they are the same. */
  inRealMs(ms: number): number;
}

/** Longest single wait that the platform's timers take (2^31-1 ms). */
const timerMaxMs = 2_147_483_647;

/** Real time, optionally at a multiple of its speed. */
export class LiveClock implements Clock {
  /**
   * @param speed cluster seconds a real second
   * @param start cluster time at `origin`, ms since the epoch
   * @param origin real time, ms since the epoch; processes that are given the same three run by the same clock
   */
  constructor(
    private readonly speed = 1,
    private start: number = Date.now(),
    private readonly origin: number = Date.now(),
  ) {}

  now(): number {
    return Math.floor(this.start + (Date.now() - this.origin) * this.speed);
  }

  inRealMs(ms: number): number {
    return ms * this.speed;
  }

  /** Cluster time never goes back: a cluster that ran fast may be ahead of the wall clock when it is resumed. */
  notBefore(time: number): void {
    const behind = time - this.now();
    if (behind > 0) this.start += behind;
  }

  at(time: number, callback: () => void): Timer {
    const timer = { cancelled: false, handle: undefined as NodeJS.Timeout | undefined };
    const wait = (): void => {
      const left = (time - this.now()) / this.speed;
      timer.handle = setTimeout(() => (this.now() < time ? wait() : callback()), Math.min(Math.max(0, Math.ceil(left)), timerMaxMs));
      timer.handle.unref?.();
    };
    wait();
    return { cancel: () => clearTimeout(timer.handle) };
  }
}

interface Appointment {
  id: string;
  time: number;
  order: number;
  callback: () => void;
}

/** Time that moves only when told to: simulations and tests own it. */
export class VirtualClock implements Clock {
  private count = 0;
  private readonly appointments = new KeyedHeap<Appointment>(
    (appointment) => appointment.id,
    (a, b) => (a.time === b.time ? a.order < b.order : a.time < b.time),
  );

  constructor(private time: number) {}

  now(): number {
    return this.time;
  }

  at(time: number, callback: () => void): Timer {
    const order = this.count++;
    const id = String(order);
    this.appointments.set({ id, time: Math.max(time, this.time), order, callback });
    return { cancel: () => void this.appointments.delete(id) };
  }

  inRealMs(ms: number): number {
    return ms;
  }

  /** When the next appointment is due; undefined when there is none. */
  next(): number | undefined {
    return this.appointments.peek()?.time;
  }

  /** Moves time and keeps the appointments that fall due, in order. Time never goes back. */
  advanceTo(time: number): void {
    if (time > this.time) this.time = time;
    for (;;) {
      const head = this.appointments.peek();
      if (!head || head.time > this.time) return;
      this.appointments.pop();
      head.callback();
    }
  }
}
