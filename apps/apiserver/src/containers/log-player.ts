import { writesAfter, writtenUpTo, type LogOfRun } from '#libs/kubelet';
import { untilTime } from './program-player';

/** Writes what annotations let a run write, as cluster time goes on. */
export class LogPlayer {
  private wake: () => void = () => undefined;
  private isHurried = false;

  /**
   * @param startedAt cluster time of the run's start, ms since the epoch
   * @param now the cluster's clock
   */
  constructor(
    private readonly log: LogOfRun,
    private readonly startedAt: number,
    private readonly now: () => number,
    private readonly written: (text: string, atMs: number) => void,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener('abort', () => this.wake());
  }

  async play(): Promise<void> {
    let shownMs = this.now() - this.startedAt;
    const isOver = (): boolean => this.signal.aborted || this.isHurried;
    for (let next = writesAfter(this.log, shownMs); next !== undefined && !isOver(); next = writesAfter(this.log, shownMs)) {
      await untilTime(this.startedAt + next, this.now, { isOver, wakeBy: (wake) => (this.wake = wake) });
      if (isOver()) return;
      const untilMs = Math.max(next, this.now() - this.startedAt);
      for (const [atMs, text] of writtenUpTo(this.log, { fromMs: shownMs, untilMs })) this.written(text, atMs);
      shownMs = untilMs;
    }
  }

  /** What was to come does not come any more. */
  hurry(): void {
    this.isHurried = true;
    this.wake();
  }
}
