import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Basis, DecisionStream } from '#libs/events';
import { KeyedHeap, type JsonObject } from '#libs/kernel';
import { causeOf, isEmpty, type Cause, type Decision, type DecisionContext, type PureController, type StepOutcome } from './controller';

/** What a look at one subject gives: steps to take, and when to look again though nothing has changed. */
export interface Reconciliation extends Omit<Decision, 'subject'> {
  wakeAt?: number;
}

/**
 * A level-triggered controller: whatever happened, it compares one subject's wanted and actual state and says what to do.
 * `reconcile` is a function of the cluster, the subject and the context, so every decision can be made again from its basis.
 */
export interface Reconciler {
  readonly name: string;
  readonly behaviour: string;
  readonly stream: DecisionStream;
  readonly config: JsonObject;
  /** Subjects to look at because of this append. */
  subjectsOf(append: FoldedAppend, cluster: ClusterState): Iterable<string>;
  /** Every subject there is: looked at on start. */
  allSubjects(cluster: ClusterState): Iterable<string>;
  reconcile(cluster: ClusterState, subject: string, context: DecisionContext): Reconciliation | undefined;
}

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

  add(subject: string, cause?: Cause): void {
    if (cause) this.causes.set(subject, cause);
    const busy = this.underWay.get(subject);
    if (busy) busy.dirty = true;
    else this.waiting.add(subject);
  }

  /** The subject to look at now: first those that wait, then those whose time has come. */
  next(now: number): string | undefined {
    for (const first of this.waiting) return first;
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

  /** Back-off after a failure is client-go's for work queues: 5 ms · 2^failures, at most 1,000 s. */
  end(subject: string, failed: boolean, now: number): void {
    const busy = this.underWay.get(subject);
    this.underWay.delete(subject);
    if (failed) {
      const failures = this.failures.get(subject) ?? 0;
      this.failures.set(subject, failures + 1);
      this.wakeAt(subject, now + Math.min(5 * 2 ** failures, 1_000_000));
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

/** What a look at a subject gives, as a decision. When to look again goes along, also where there is nothing to do now. */
export function lookDecision(queue: WorkQueue, subject: string, found: Reconciliation | undefined): Decision | undefined {
  if (!found) return undefined;
  const { wakeAt, ...decision } = found;
  return { cause: queue.causeOf(subject), ...decision, subject, result: wakeAt };
}

/** Takes note in the queue of what `lookDecision` gave. */
export function noteLook(queue: WorkQueue, subject: string, decision: Decision | undefined, now: number): void {
  const isUnderWay = decision !== undefined && !isEmpty(decision);
  queue.looked(subject, now, { wakeAt: decision?.result as number | undefined, isUnderWay });
}

/** The Controller that a Reconciler makes. */
export function reconcilerController(reconciler: Reconciler): PureController<WorkQueue> {
  return {
    name: reconciler.name,
    behaviour: reconciler.behaviour,
    stream: reconciler.stream,
    config: reconciler.config,

    initial(cluster) {
      const queue = new WorkQueue();
      for (const subject of reconciler.allSubjects(cluster)) queue.add(subject);
      return queue;
    },

    apply(queue, append, cluster) {
      let cause: Cause | undefined;
      for (const subject of reconciler.subjectsOf(append, cluster)) queue.add(subject, (cause ??= causeOf(append)));
    },

    next: (queue, _cluster, now) => queue.next(now),
    decide: (queue, cluster, subject, context) => lookDecision(queue, subject, reconciler.reconcile(cluster, subject, context)),
    decided: (queue, _cluster, subject, decision, { now }) => noteLook(queue, subject, decision, now),

    settled(queue, decision, _ordinal, outcomes: readonly StepOutcome[], now) {
      const failed = outcomes.some((outcome) => outcome.kind === 'refused');
      queue.end(decision.subject, failed, now);
    },

    nextWake: (queue) => queue.nextWake(),

    rederive(_queue, cluster, basis: Basis, context) {
      const found = reconciler.reconcile(cluster, basis.subject, context);
      return found && { ...found, subject: basis.subject };
    },
  };
}
