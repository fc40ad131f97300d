import { framesOf, type ClusterState } from '#libs/cluster-state';
import type { Decision, Step } from '#libs/control-loop';
import type { RecordedEvent } from '#libs/event-log';
import { refusedStep, type Basis, type EventMetadata, type TapedOutcome, type TapedStep } from '#libs/events';
import { derivedId } from '#libs/kernel';
import { prepareWrite, type Prepared } from '#libs/kube-api';
import { compareFacts, compareFrames } from '../verify/compare-facts';
import type { RecentPast } from '../verify/recent-past';
import { answersIn, type Reviews } from '../verify/reviews';
import { callerIn } from '../verify/webhook-questions';
import type { WriteRules } from '../verify/write-rules';

/** What the writes of a decision are compared with: the cluster when they were prepared, and the reviews they used. */
export interface WriteChecks {
  readonly past: RecentPast;
  readonly reviews: Reviews;
  readonly rules: WriteRules;
}

/** What is wrong with an append, or with an outcome. */
export interface Wrong {
  check: 'M' | 'C' | 'O' | 'T';
  text: string;
  /** What the controller decided is not what the log has: nothing that follows can be held against it. */
  isDivergence: boolean;
}

const differs = (text: string): Wrong => ({ check: 'M', text, isDivergence: false });

/** A decision that the replay made, and the events of it that were found in the log so far. */
export class MadeDecision {
  /** Id of the event that records it. */
  private record: string | undefined;
  private readonly written = new Set<string>();
  private readonly refusals = new Set<string>();
  /** Something of it is in the log and not as it follows. */
  differs = false;

  constructor(
    readonly name: string,
    readonly decision: Decision,
    /** Where and when it was made. */
    readonly position: number,
    readonly now: number,
    private readonly options: { seed: string; writes?: WriteChecks },
  ) {}

  /** Nothing of it is in the log. */
  get isAbsent(): boolean {
    return this.record === undefined && this.written.size === 0 && this.refusals.size === 0;
  }

  /** How an append differs from what follows from the decision. The cluster has not folded it yet. */
  take(append: readonly RecordedEvent[], cluster: ClusterState): Wrong[] {
    const first = append[0] as RecordedEvent;
    const metadata = first.metadata as unknown as EventMetadata;
    const wrong = [...this.basisWrongs(metadata.basis as Basis), ...this.causeWrongs(metadata)];
    if (metadata.time < this.now)
      wrong.push({ check: 'T', text: `${this.name}: written before it was decided, at ${shownTime(this.now)}`, isDivergence: false });
    wrong.push(...this.contentWrongs(append, first, metadata, cluster));
    if (wrong.length > 0) this.differs = true;
    return wrong;
  }

  private basisWrongs({ subject, position, now }: Basis): Wrong[] {
    if (subject !== this.decision.subject)
      return [{ check: 'M', text: `${this.name}: due was ${this.decision.subject}; recorded is ${subject}`, isDivergence: true }];
    if (position !== this.position) return [differs(`${this.name}: decided at position ${this.position}; recorded is ${position}`)];
    if (now !== this.now) return [differs(`${this.name}: decided at ${shownTime(this.now)}; recorded is ${shownTime(now)}`)];
    return [];
  }

  private causeWrongs({ $correlationId, $causationId, step }: EventMetadata): Wrong[] {
    const { cause } = this.decision;
    const causation = step === 'record' ? cause?.causationId : (this.record ?? cause?.causationId);
    if ($correlationId === (cause?.correlationId ?? derivedId(this.name)) && $causationId === causation) return [];
    return [differs(`${this.name}: its cause is ${causation ?? 'none'}; recorded is ${$causationId ?? 'none'}`)];
  }

  private contentWrongs(append: readonly RecordedEvent[], first: RecordedEvent, metadata: EventMetadata, cluster: ClusterState): Wrong[] {
    const { step = '' } = metadata;
    const { records = [], steps } = this.decision;
    const of = (text: string | undefined): Wrong[] =>
      text === undefined ? [] : [differs(`${this.name} on ${this.decision.subject} at ${this.position}: ${text}`)];
    if (step === 'record') {
      if (this.record !== undefined) return of('it is recorded twice');
      const isLate = this.written.size > 0;
      this.record = first.id;
      const late: Wrong[] = isLate ? [{ check: 'C', text: `${this.name}: recorded after its steps`, isDivergence: false }] : [];
      return [...late, ...of(compareFacts(records, append))];
    }
    const refused = refusedStep(step);
    const index = steps.findIndex((candidate) => candidate.step === (refused ?? step));
    const wanted = steps[index];
    if (!wanted) return of(`the decision made again has no step "${refused ?? step}"`);
    if (refused !== undefined) {
      if (this.refusals.has(refused)) return of(`the refusal of "${refused}" is recorded twice`);
      this.refusals.add(refused);
      return of(compareFacts(wanted.refusal ? [wanted.refusal] : [], append));
    }
    if (this.written.has(step)) return of(`step "${step}" is written twice`);
    const isEarly = records.length > 0 && this.record === undefined;
    this.written.add(step);
    const early: Wrong[] = isEarly
      ? [{ check: 'C', text: `${this.name}: its step "${step}" is written and its record is not`, isDivergence: false }]
      : [];
    const difference = this.writeDifference(wanted, append, metadata, cluster);
    const isOfOtherRules = difference !== undefined && this.options.writes?.rules.excuse(metadata.writer, first.position, difference);
    return isOfOtherRules ? early : [...early, ...of(difference)];
  }

  private writeDifference(
    { step, request }: Step,
    append: readonly RecordedEvent[],
    { actor, at, time, writer }: EventMetadata,
    cluster: ClusterState,
  ): string | undefined {
    const { seed, writes } = this.options;
    if (!writes) return undefined;
    const operation = `${this.name}/${step}`;
    const then = (at !== undefined && writes.past.at(at, cluster)) || cluster;
    const caller = callerIn(writes.reviews.withWebhooksOf(writer, operation));
    const context = { actor, now: time, id: `${seed}/${operation}`, caller };
    const prepared = prepareWrite(then, request, context);
    if (prepared.kind !== 'review') return preparedDifference(prepared, append);
    const reviews = answersIn(writes.reviews.of(writer, operation));
    return preparedDifference(prepareWrite(then, request, { ...context, reviews }), append);
  }

  /** What the tape says became of it, against what the log has. */
  settled(outcome: TapedOutcome): Wrong[] {
    const contradiction = (text: string): Wrong => ({ check: 'C', text: `${this.name}: ${text}`, isDivergence: true });
    const { records = [], steps } = this.decision;
    if (outcome.kind === 'unled') return this.isAbsent ? [] : [contradiction('the tape says that it was given up; the log has it')];
    if (outcome.kind === 'unrecorded') {
      if (records.length === 0) return [contradiction('the tape says that its record was refused; it has none')];
      return this.written.size === 0 ? [] : [contradiction('the tape says that its record was refused; the log has its steps')];
    }
    if (this.isAbsent && (records.length > 0 || outcome.kind === 'done') && records.length + steps.length > 0) {
      const text = `${this.name} on ${this.decision.subject} was due at ${this.position} and is not in the log`;
      return [{ check: 'O', text, isDivergence: true }];
    }
    if (records.length > 0 && this.record === undefined)
      return [contradiction('the tape says that it was recorded; the log has no record')];
    const taped: readonly TapedStep[] = outcome.kind === 'done' ? steps.map(() => ({ kind: 'written' })) : outcome.steps;
    if (taped.length !== steps.length) return [contradiction(`the tape says what became of ${taped.length} steps; it has ${steps.length}`)];
    for (const [index, each] of taped.entries()) {
      const text = this.stepContradiction(steps[index]?.step ?? '', each, steps[index]?.refusal !== undefined);
      if (text !== undefined) return [contradiction(text)];
    }
    return [];
  }

  private stepContradiction(step: string, taped: TapedStep, tellsRefusal: boolean): string | undefined {
    const isWritten = this.written.has(step);
    const isRefused = this.refusals.has(step);
    const says = `the tape says ${taped.kind} of step "${step}"`;
    if (taped.kind === 'written' && !isWritten) return `${says}, the log does not have it`;
    if (taped.kind !== 'written' && isWritten && !(taped.kind === 'refused' && taped.isUncertain)) return `${says}, the log has it`;
    if (taped.kind !== 'refused') return isRefused ? `${says}, the log has its refusal` : undefined;
    if (tellsRefusal && !taped.lacksRecord && !isRefused) return `${says}, the log does not have that`;
    return undefined;
  }

  /** Steps of it may still come to the log, though it has been settled. */
  mayComeLate(outcome: TapedOutcome): boolean {
    if (outcome.kind === 'unrecorded') return true;
    return outcome.kind === 'steps' && outcome.steps.some((step) => step.kind === 'refused' && (step.isUncertain || step.lacksRecord));
  }
}

function preparedDifference(prepared: Prepared, append: readonly RecordedEvent[]): string | undefined {
  const first = append[0] as RecordedEvent;
  if (prepared.kind !== 'append') return `the write made again gives "${prepared.kind}"`;
  if (prepared.stream !== first.stream) return `the write made again goes to ${prepared.stream}`;
  return compareFrames(prepared.frames, framesOf(append));
}

function shownTime(time: number): string {
  return Number.isFinite(time) ? new Date(time).toISOString() : String(time);
}
