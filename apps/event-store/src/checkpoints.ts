import type { Position } from '#libs/event-log';

/** A page of history ends with so many events that fit. */
const PAGE_FITTING_MAX = 32;

export interface Checkpoint {
  commit: Position;
  prepare: Position;
}

/**
 * When a reader with a filter is told how far the log has been searched for it, and where. History is searched in pages as a real
 * server does: a page ends after a window of events or 32 that fit, and tells the last that fits, else where it
 * began. What is live tells the very event.
 */
export class Checkpoints {
  private readonly interval: number;
  private considered = 0;
  private live = false;
  private page = { looked: 0, fitting: 0, begin: 0, last: undefined as Position | undefined };

  /**
   * @param window events a page
   * @param pages between two checkpoints
   * @param fromStart the first page begins at 0, not at its first event
   */
  constructor(
    private readonly window: number,
    pages: number,
    private readonly fromStart: boolean,
  ) {
    this.interval = window * pages;
  }

  /** History is over: its last page may have been full. */
  goLive(): Checkpoint | undefined {
    if (this.live) return undefined;
    this.live = true;
    if (this.isFull()) return this.endOfPage();
    this.considered += this.page.looked;
    return undefined;
  }

  /** Before an event of history is delivered: the page before it may be full. */
  before(position: Position): Checkpoint | undefined {
    if (this.live) return undefined;
    const told = this.isFull() ? this.endOfPage() : undefined;
    if (this.isFull()) this.page = { looked: 0, fitting: 0, begin: position, last: undefined };
    else if (this.page.looked === 0) this.page.begin = this.fromStart ? 0 : position;
    return told;
  }

  private isFull(): boolean {
    const { looked, fitting } = this.page;
    return looked > 0 && (looked >= this.window || fitting >= PAGE_FITTING_MAX);
  }

  private endOfPage(): Checkpoint | undefined {
    this.considered += this.page.looked;
    if (this.considered < this.interval) return undefined;
    this.considered %= this.interval;
    const { begin, last } = this.page;
    return last === undefined ? { commit: begin, prepare: begin } : { commit: last, prepare: last };
  }

  /** After an event was looked at, and delivered where it fits. */
  after(position: Position, fits: boolean): Checkpoint | undefined {
    if (!this.live) {
      this.page.looked += 1;
      if (fits) {
        this.page.fitting += 1;
        this.page.last = position;
      }
      return undefined;
    }
    this.considered += 1;
    if (this.considered < this.interval) return undefined;
    this.considered = 0;
    return { commit: position, prepare: position };
  }
}
