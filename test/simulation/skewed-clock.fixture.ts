import type { LeadTime, Timer, VirtualClock } from '#libs/control-loop';
import { AppointedClock } from './appointed-clock.fixture';

/** The clock of one machine among several: none shows the same time, and none stays behind what it has read in the log. */
export class SkewedClock extends AppointedClock {
  constructor(
    base: VirtualClock,
    /** Ahead of the others by so much, ms. */
    private ahead: number,
  ) {
    super(base);
  }

  now(): number {
    return this.base.now() + this.ahead;
  }

  notBefore(time: number): void {
    const behind = time - this.now();
    if (behind <= 0) return;
    this.ahead += behind;
    this.armAll();
  }

  protected baseTimeOf(time: number): number {
    return time - this.ahead;
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
