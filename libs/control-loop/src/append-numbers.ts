import { OutcomeUnknownError } from '#libs/event-log';
import type { AppendNotes } from '#libs/events';
import { KeyedHeap } from '#libs/kernel';

/** What an append says of its number. */
export type AppendNumber = Required<Pick<AppendNotes, 'w'>> & Pick<AppendNotes, 'open' | 'lost'>;

/**
 * Numbers a writer's appends without a gap. The number of a refused append is given to the next one, so each is in the log once; what is
 * missing was removed, or was on its way when the process ended, which `open` tells.
 */
export class AppendNumbers {
  private last = 0;
  /** Refused, to be given again. */
  private readonly free: number[] = [];
  private lost: number[] = [];
  /** Given and neither written nor lost, those that are free again among them. */
  private readonly undecided = new KeyedHeap<number>(String, (a, b) => a < b);

  take(): AppendNumber {
    const w = this.free.pop() ?? ++this.last;
    this.undecided.set(w);
    const oldest = this.undecided.peek() as number;
    const number: AppendNumber = { w };
    if (oldest < w) number.open = w - oldest;
    if (this.lost.length > 0) {
      number.lost = this.lost;
      this.lost = [];
    }
    return number;
  }

  written({ w }: AppendNumber): void {
    this.undecided.delete(String(w));
  }

  failed({ w, lost }: AppendNumber, error: unknown): void {
    // Nobody may have read it: said again.
    if (lost) this.lost.push(...lost);
    if (error instanceof OutcomeUnknownError) {
      this.undecided.delete(String(w));
      this.lost.push(w);
    } else this.free.push(w);
  }

  /** Whether every append has been answered. */
  get isAtRest(): boolean {
    return this.undecided.size === this.free.length;
  }

  /** Numbers that were given and that nothing was written under. */
  absent(): number[] {
    return [...this.free].sort((a, b) => a - b);
  }
}
