import type { ProbeKind } from '../../../behaviour';
import type { ProbeFinder, ProbeFinding, ProbeOutcome } from './probe-outcome';

/** When rounds begin, and what they have to come to. Times in ms since the epoch. */
export interface CourseRules {
  kind: ProbeKind;
  periodMs: number;
  successThreshold: number;
  failureThreshold: number;
  /** Of the run: what rounds find counts from here. */
  startedAt: number;
  /** No round begins before. */
  notBefore: number;
  /** The first round, unless that is too early; then the next one of the row that has one each period. */
  firstAt: number;
  /**
   * Of readiness: another round that is made ahead of its time, unless the container is ready by then; the row goes on from it.
   * Upstream makes one with each sync that finds the container not ready.
   */
  againAt?: number;
}

/** Something that rounds have come to that is told, and how often. */
export interface Told {
  type: 'Warning';
  reason: 'Unhealthy' | 'ProbeWarning';
  message: string;
  times: number;
}

/** `unknown`: a startup probe that has not succeeded yet. */
export type ProbeVerdict = 'unknown' | 'success' | 'failure';

const verdictAtFirst: Readonly<Record<ProbeKind, ProbeVerdict>> = { startup: 'unknown', readiness: 'failure', liveness: 'success' };

/** Stretches of rounds alike that are gone through ahead of a moment in search of the next change; behind them somebody has to look again. */
const stretchesAhead = 1_000;

/**
 * The rounds of one probe over one run of a container (upstream `prober.worker`): what they find follows from the moment the run began, so
 * they are gone through when somebody looks, as many at once as find the same.
 */
export class ProbeCourse {
  verdict: ProbeVerdict;
  /** When the verdict was last another, ms; undefined: it never was. */
  verdictAt: number | undefined;
  /** No round follows: the startup probe has succeeded, or the container is to be killed. */
  isOver = false;
  readonly told = new Map<string, Told>();
  /** When the next round begins. */
  private next: number;
  /** A moment at which the row has a round. */
  private row: number;
  private againAt: number | undefined;
  private lastPassed: boolean | undefined;
  private inARow = 0;

  constructor(
    readonly rules: CourseRules,
    private readonly find: ProbeFinder,
  ) {
    this.verdict = verdictAtFirst[rules.kind];
    this.row = rules.firstAt;
    this.next = rules.firstAt;
    this.againAt = rules.againAt;
    if (this.next < rules.notBefore) this.startLate();
  }

  private startLate(): void {
    const { notBefore, periodMs } = this.rules;
    if (this.againAt !== undefined) this.row = this.againAt;
    this.againAt = undefined;
    this.next = this.row + Math.max(0, Math.ceil((notBefore - this.row) / periodMs)) * periodMs;
  }

  /** Goes through the rounds that have a result by a moment. */
  advance(until: number): void {
    while (!this.isOver && this.stretch(until)) continue;
  }

  /** When something that shows is otherwise next, if nothing comes between, ms; undefined: never. */
  nextVerdictAt(): number | undefined {
    const ahead = this.copy();
    const { verdict } = this;
    for (let i = 0; i < stretchesAhead; i++) {
      if (ahead.isOver || !ahead.stretch(Number.POSITIVE_INFINITY)) return undefined;
      if (ahead.verdict !== verdict) return ahead.verdictAt;
      if (ahead.next === Number.POSITIVE_INFINITY) return undefined;
    }
    return ahead.next;
  }

  /** When something is to be told next, ms; undefined: never. */
  nextTellingAt(notBefore: number): number | undefined {
    const ahead = this.copy();
    ahead.advance(notBefore - 1);
    for (let i = 0; i < stretchesAhead; i++) {
      if (ahead.isOver || ahead.next === Number.POSITIVE_INFINITY) return undefined;
      const { result, takesMs } = ahead.finding();
      if (result !== 'success') return ahead.next + takesMs;
      ahead.stretch(Number.POSITIVE_INFINITY);
    }
    return ahead.next;
  }

  private copy(): ProbeCourse {
    const copy = new ProbeCourse(this.rules, this.find);
    const { verdict, verdictAt, isOver, next, row, againAt, lastPassed, inARow } = this;
    Object.assign(copy, { verdict, verdictAt, isOver, next, row, againAt, lastPassed, inARow });
    return copy;
  }

  private finding(): ProbeFinding {
    return this.find(this.next - this.rules.startedAt);
  }

  /** The next rounds that find the same, up to the verdict that they lead to. False: none has a result by then. */
  private stretch(until: number): boolean {
    const finding = this.finding();
    const { takesMs } = finding;
    if (this.next + takesMs > until || this.next === Number.POSITIVE_INFINITY) return false;
    const passed = finding.result === 'error' ? undefined : finding.result !== 'failure';
    const stepMs = this.stepMs(takesMs);
    const alike = stepMs === undefined ? 1 : this.roundsAlike(finding, stepMs, until);
    const decisive = passed === undefined ? undefined : this.roundsToVerdict(passed);
    const rounds = Math.min(alike, decisive ?? Number.POSITIVE_INFINITY);
    this.tell(finding, rounds);
    const lastEnd = this.next + (rounds - 1) * (stepMs ?? 0) + takesMs;
    this.goOn(rounds, stepMs, lastEnd);
    if (passed === undefined) return true;
    this.inARow = this.lastPassed === passed ? this.inARow + rounds : rounds;
    this.lastPassed = passed;
    if (rounds === decisive) this.decide(passed ? 'success' : 'failure', lastEnd);
    if (this.verdict === 'success') this.againAt = undefined;
    else this.bringForward(lastEnd);
    return true;
  }

  /** From one round to the next, as long as all is regular; undefined: this one is not. */
  private stepMs(takesMs: number): number | undefined {
    const { periodMs } = this.rules;
    if (this.againAt !== undefined) return undefined;
    // A round that is due while another is under way begins at its end.
    if (takesMs > periodMs) return takesMs;
    return (this.next - this.row) % periodMs === 0 ? periodMs : undefined;
  }

  /** @param until ms; infinite: as many as there are */
  private roundsAlike({ untilMs, takesMs }: ProbeFinding, stepMs: number, until: number): number {
    const otherFrom = this.rules.startedAt + untilMs;
    const lastBegin = Math.min(until - takesMs, otherFrom - 1);
    return lastBegin === Number.POSITIVE_INFINITY ? lastBegin : Math.max(1, Math.floor((lastBegin - this.next) / stepMs) + 1);
  }

  /** How many more it takes to another verdict; undefined: they bear out the present one. */
  private roundsToVerdict(passed: boolean): number | undefined {
    if (this.verdict === (passed ? 'success' : 'failure')) return undefined;
    const { successThreshold, failureThreshold } = this.rules;
    const threshold = passed ? successThreshold : failureThreshold;
    return Math.max(1, threshold - (this.lastPassed === passed ? this.inARow : 0));
  }

  private goOn(rounds: number, stepMs: number | undefined, lastEnd: number): void {
    if (rounds === Number.POSITIVE_INFINITY) {
      this.next = rounds;
      return;
    }
    const lastBegin = this.next + (rounds - 1) * (stepMs ?? 0);
    const { periodMs } = this.rules;
    const due = this.row + (Math.floor((lastBegin - this.row) / periodMs) + 1) * periodMs;
    this.next = Math.max(due, lastEnd);
  }

  private decide(verdict: ProbeVerdict, at: number): void {
    const { kind } = this.rules;
    const wasReady = kind === 'readiness' && this.verdict === 'success';
    this.verdict = verdict;
    this.verdictAt = at;
    if (kind === 'startup' || (kind === 'liveness' && verdict === 'failure')) this.isOver = true;
    if (wasReady) this.againAt = at;
  }

  /** The round that is made ahead of its time. */
  private bringForward(lastEnd: number): void {
    if (this.againAt === undefined) return;
    this.next = Math.max(this.againAt, lastEnd);
    this.row = this.next;
    this.againAt = undefined;
  }

  private tell({ result, text }: ProbeOutcome, rounds: number): void {
    if (result === 'success' || rounds === Number.POSITIVE_INFINITY) return;
    const name = `${this.rules.kind.slice(0, 1).toUpperCase()}${this.rules.kind.slice(1)} probe`;
    const how = { warning: 'warning', failure: 'failed', error: 'errored and resulted in unknown state' }[result];
    const message = `${name} ${how}: ${text}`;
    const known = this.told.get(message);
    const reason = result === 'warning' ? 'ProbeWarning' : 'Unhealthy';
    this.told.set(message, { type: 'Warning', reason, message, times: (known?.times ?? 0) + rounds });
  }
}
