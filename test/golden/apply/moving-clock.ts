import { LiveClock } from '#libs/control-loop';

/** Real time that can be moved on: owners are ordered by whole seconds, and nobody wants to wait for them. */
export class MovingClock extends LiveClock {
  private static ahead = 0;

  constructor() {
    const moved = (ms: number): number => ms + MovingClock.ahead;
    super(1, undefined, undefined, {
      wall: () => moved(Date.now()),
      monotonic: () => moved(performance.now()),
      uptime: () => moved(performance.now()),
    });
  }

  move(ms: number): void {
    MovingClock.ahead += ms;
  }
}
