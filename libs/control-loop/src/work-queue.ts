import { KeyedHeap } from '#libs/kernel';
import type { Cause } from './controller';

interface Wake {
  subject: string;
  at: number;
}

/** A subject whose decision is under way. */
interface UnderWay {
  /** Something about it has changed since. */
  dirty: boolean;
  /** When it is to be looked at again in any case. */
  wakeAt?: number;
}

/** How long a subject is left alone after failures, ms: twice as long after each, up to the longest. */
export interface BackOff {
  firstMs: number;
  maxMs: number;
}

/** client-go's for work queues. */
const usualBackOff: BackOff = { firstMs: 5, maxMs: 1_000_000 };

/** Subjects waiting to be looked at: a set in order of arrival, those under way held back, wakes by time. */
export class WorkQueue {
  private readonly waiting = new Set<string>();
  private readonly underWay = new Map<string, UnderWay>();
  /** What last drew attention to a subject. */
  private readonly causes = new Map<string, Cause>();
  private readonly failures = new Map<string, number>();
  private readonly wakes = new KeyedHeap<Wake>(
    (wake) => wake.subject,
    (a, b) => (a.at === b.at ? a.subject < b.subject : a.at < b.at),
  );

  constructor(private readonly backOff: BackOff = usualBackOff) {}

  add(subject: string, cause?: Cause): void {
    if (cause) this.causes.set(subject, cause);
    const busy = this.underWay.get(subject);
    if (busy) busy.dirty = true;
    else this.waiting.add(subject);
  }

  /** The subject to look at now: first those that wait, then those whose time has come. */
  next(now: number): string | undefined {
    if (this.waiting.size > 0) for (const first of this.waiting) return first;
    const wake = this.wakes.peek();
    return wake && wake.at <= now ? wake.subject : undefined;
  }

  /** What the look at a subject follows from. */
  causeOf(subject: string): Cause | undefined {
    return this.causes.get(subject);
  }

  /**
   * The subject has been looked at. What has fallen due by time meanwhile stands behind those that wait.
   * @param isUnderWay something came of it, so it is held back until that has ended
   */
  looked(subject: string, now: number, { wakeAt, isUnderWay }: { wakeAt?: number; isUnderWay: boolean }): void {
    this.flush(now);
    this.waiting.delete(subject);
    this.wakes.delete(subject);
    this.causes.delete(subject);
    const at = wakeAt === undefined ? undefined : Math.max(wakeAt, now + 1);
    if (isUnderWay) this.underWay.set(subject, { dirty: false, wakeAt: at });
    else if (at !== undefined) this.wakeAt(subject, at);
  }

  wakeAt(subject: string, at: number): void {
    this.wakes.set({ subject, at });
  }

  end(subject: string, failed: boolean, now: number): void {
    const busy = this.underWay.get(subject);
    this.underWay.delete(subject);
    if (failed) {
      const failures = this.failures.get(subject) ?? 0;
      this.failures.set(subject, failures + 1);
      this.wakeAt(subject, now + Math.min(this.backOff.firstMs * 2 ** failures, this.backOff.maxMs));
      return;
    }
    this.failures.delete(subject);
    if (busy?.wakeAt !== undefined) this.wakeAt(subject, busy.wakeAt);
    if (busy?.dirty) this.waiting.add(subject);
  }

  nextWake(): number | undefined {
    return this.wakes.peek()?.at;
  }

  private flush(now: number): void {
    for (let head = this.wakes.peek(); head && head.at <= now; head = this.wakes.peek()) {
      this.wakes.pop();
      this.add(head.subject);
    }
  }
}
