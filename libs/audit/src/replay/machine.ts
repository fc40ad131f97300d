import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { Controller, Decision, DecisionContext } from '#libs/control-loop';
import { AskedController } from '#libs/control-loop/asked';
import type { RecordedEvent } from '#libs/event-log';
import type { Round, TapedOutcome } from '#libs/events';
import { MadeDecision, type WriteChecks, type Wrong } from './made-decision';

/** A controller about to decide, exactly as it was then. */
export interface DecisionMoment {
  /** `controller/incarnation/ordinal`. */
  decision: string;
  subject: string;
  position: number;
  context: DecisionContext;
  cluster: ClusterState;
  /** What it decides, with everything looked at, also what could not change the decision. */
  explain(): Decision | undefined;
}

/** Of how many settled decisions it is remembered that parts of them may still come. */
const lateMax = 4_096;

/**
 * One life of a controller, replayed: it is asked at the rounds of its process, as it was then, and its decisions are held against those in
 * the log. From the first that differs in more than what it says, nothing more is asked: what follows would differ for that reason alone.
 */
export class Machine {
  private readonly asked: AskedController;
  /** Decisions that nothing is known to have become of, by ordinal. */
  private readonly underWay = new Map<number, MadeDecision>();
  /** Settled, and parts of them may come all the same. */
  private readonly late = new Map<number, MadeDecision>();
  isBarred = false;
  /** It is asked no more and told nothing. */
  isStopped = false;
  /** Its decisions are not those of the log any more. */
  hasDiverged = false;
  agreed = 0;
  differing = 0;

  constructor(
    controller: Controller,
    private readonly cluster: ClusterState,
    readonly started: FoldedAppend,
    private readonly options: { seed: string; writes?: WriteChecks },
  ) {
    this.asked = new AskedController(controller, cluster, started);
  }

  get name(): string {
    return this.asked.controller.name;
  }

  get isAsked(): boolean {
    return !this.isStopped && !this.isBarred && !this.hasDiverged;
  }

  apply(frame: FoldedAppend): void {
    if (!this.isStopped && !this.hasDiverged) this.asked.apply(frame);
  }

  /** What an append of one of its decisions has that does not follow. The cluster has not folded it yet. */
  take(ordinal: number, append: readonly RecordedEvent[], cluster: ClusterState): Wrong[] {
    if (this.hasDiverged) return [];
    const made = this.underWay.get(ordinal) ?? this.late.get(ordinal);
    if (made) return this.noted(made.take(append, cluster));
    const subject = (append[0]?.metadata.basis as { subject?: string } | undefined)?.subject ?? '';
    const text = `${this.asked.nameOf(ordinal)}: no such decision was due; recorded is one on ${subject}`;
    return this.noted([{ check: 'M', text, isDivergence: true }]);
  }

  settle(ordinal: number, outcome: TapedOutcome, now: number): Wrong[] {
    if (this.hasDiverged || this.isStopped) return [];
    const made = this.underWay.get(ordinal);
    if (!made) {
      const text = `${this.asked.nameOf(ordinal)}: the tape says what became of it, and it was never due`;
      return this.noted([{ check: 'C', text, isDivergence: true }]);
    }
    const wrong = this.noted(made.settled(outcome));
    this.underWay.delete(ordinal);
    this.count(made, wrong.length > 0);
    if (this.hasDiverged) return wrong;
    if (made.mayComeLate(outcome)) this.rememberLate(ordinal, made);
    this.asked.settle(made.decision, ordinal, outcome, now);
    return wrong;
  }

  /** Its turn in a round. */
  turn({ position, now }: Round, looking?: (moment: DecisionMoment) => void): number {
    const { asked, cluster, options } = this;
    const { looks } = asked.turn({
      seed: options.seed,
      now,
      looking:
        looking && ((subject, context, explain) => looking({ decision: context.decision, subject, position, context, cluster, explain })),
      decided: (decision, context) =>
        void this.underWay.set(context.ordinal, new MadeDecision(context.decision, decision, position, context.now, options)),
    });
    return looks;
  }

  /** The subject that is due at this time, and since when where time brought it; undefined: nothing is. */
  dueAt(now: number): { subject: string | undefined; since: number | undefined } | undefined {
    const subject = this.asked.due(now);
    const wake = this.asked.nextWake(now);
    const since = wake !== undefined && wake <= now ? wake : undefined;
    return subject === undefined && since === undefined ? undefined : { subject, since };
  }

  /** The oldest decision that nothing is known to have become of. */
  get oldestUnderWay(): MadeDecision | undefined {
    for (const made of this.underWay.values()) return made;
    return undefined;
  }

  /** The log has come to its end: what is under way stays open. */
  end(): void {
    for (const made of this.underWay.values()) if (!made.isAbsent) this.count(made, false);
  }

  private count(made: MadeDecision, isWrong: boolean): void {
    if (isWrong || made.differs) this.differing++;
    else this.agreed++;
  }

  private noted(wrong: Wrong[]): Wrong[] {
    if (wrong.some(({ isDivergence }) => isDivergence)) this.hasDiverged = true;
    return wrong;
  }

  private rememberLate(ordinal: number, made: MadeDecision): void {
    this.late.set(ordinal, made);
    for (const oldest of this.late.keys()) {
      if (this.late.size <= lateMax) break;
      this.late.delete(oldest);
    }
  }
}
