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
  /** Another process has written at `time`: this clock is not behind it any more. Absent where one hand moves all clocks. */
  notBefore?(time: number): void;
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
