import type { FoldedAppend } from '#libs/cluster-state';
import { fact, jsonDigest, refusalOf, type Basis, type Fact, type TapedOutcome, type TapedStep } from '#libs/events';
import { derivedId, type GroupResource } from '#libs/kernel';
import { AskedController, tapedRefusal } from './asked';
import type { Controller, Decision, DecisionContext, Step } from './controller';
import type { Origin } from './origin';
import type { ClusterRuntime } from './runtime';
import type { Writer } from './writer';

/** What became of a decision, to be told to its controller at the next round. */
export interface Answered {
  /** Place of the controller's start among those of its process. */
  controller: number;
  ordinal: number;
  decision: Decision;
  outcome: TapedOutcome;
}

interface Turn {
  readonly looks: number;
  readonly isMoreDue: boolean;
}

const nothingDue: Turn = { looks: 0, isMoreDue: false };

/** One pure controller of a process: its state, and how its decisions are carried out. When it is asked, the process's rounds say. */
export class ControllerShell<S> {
  /** Undefined: the record of its start has not come back yet. */
  private asked: AskedController<S> | undefined;
  /** Decisions that are being carried out. */
  private carriedOut = 0;
  private place = 0;
  private isStopped = false;
  private atRest: (() => void) | undefined;
  /**
   * Nothing is due before this time, ms (`Infinity`: never by time alone), unless something is folded or told. Undefined: it has to be asked.
   * Most of a process's controllers have nothing to do with what most appends are about.
   */
  private restsUntil: number | undefined;

  /** @param mayDecide asked at each round and before each step of a decision: no while it is not certain that this instance leads */
  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    private readonly controller: Controller<S>,
    readonly mayDecide: () => boolean = () => true,
  ) {}

  /**
   * Records what is in force. The controller's first state is that of the cluster at this record, and every append behind it is folded
   * into it one by one, whatever batches they come in: whoever replays the log finds the same states.
   */
  async start(): Promise<void> {
    const { runtime, controller } = this;
    const started = fact('ControllerStarted', {
      controller: controller.name,
      behaviour: controller.behaviour,
      configDigest: jsonDigest(controller.config),
      config: controller.config,
    });
    // A controller may be started again in the same process, when its lead comes back.
    const operation = `start/${controller.name}/${runtime.state.position}`;
    const origin = { actor: controller.name, operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
    try {
      await runtime.appendDecision('controller-decisions', [started], origin, '0', (id) => runtime.rounds.expect(id, this));
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    this.isStopped = true;
    this.runtime.rounds.stop(this);
  }

  /** It may be decided again. */
  resume(): void {
    this.runtime.rounds.schedule();
  }

  /** Resolves when no decision is being carried out; after `stop` none is begun. */
  whenAtRest(): Promise<void> {
    return this.carriedOut === 0 ? Promise.resolve() : new Promise((resolve) => (this.atRest = resolve));
  }

  /** The record of its start has been folded. */
  begin(started: FoldedAppend, place: number): void {
    this.place = place;
    this.asked = new AskedController(this.controller, this.runtime.state, started);
  }

  /** Resources that it follows (see `Controller.follows`); undefined: all of the log. */
  get follows(): readonly GroupResource[] | undefined {
    return this.controller.follows;
  }

  apply(append: FoldedAppend): void {
    this.restsUntil = undefined;
    this.asked?.apply(append);
  }

  settle({ decision, ordinal, outcome }: Answered, now: number): void {
    this.restsUntil = undefined;
    this.asked?.settle(decision, ordinal, outcome, now);
  }

  /**
   * Looks at what is due, as often as a round lets it.
   * @param begun gets what carries the decisions out, in their order
   */
  turn(now: number, begun: (() => void)[]): Turn {
    if (this.restsUntil !== undefined && now < this.restsUntil) return nothingDue;
    const asked = this.asked as AskedController<S>;
    const turn = asked.due(now) === undefined ? nothingDue : this.look(asked, now, begun);
    this.restsUntil = turn.isMoreDue || !this.follows ? undefined : (asked.nextWake(now) ?? Infinity);
    return turn;
  }

  private look(asked: AskedController<S>, now: number, begun: (() => void)[]): Turn {
    return asked.turn({
      seed: this.runtime.seed,
      now,
      decided: (decision, context) => {
        const basis = this.basis(decision, context);
        begun.push(() => void this.carryOut(decision, context.ordinal, basis));
      },
    });
  }

  /** When time alone could bring the next decision, ms since the epoch; undefined also while it is not to be asked. */
  nextWake(now: number): number | undefined {
    if (this.restsUntil !== undefined) return this.restsUntil === Infinity ? undefined : this.restsUntil;
    return this.asked?.nextWake(now);
  }

  private basis({ subject }: Decision, { decision, now }: DecisionContext): Basis {
    return { decision, subject, position: this.runtime.state.position, now };
  }

  private async carryOut(decision: Decision, ordinal: number, basis: Basis): Promise<void> {
    this.carriedOut++;
    for (const call of decision.calls ?? []) this.runtime.calls$.next(call);
    const outcome = await this.perform(decision, basis);
    if (--this.carriedOut === 0) this.atRest?.();
    if (!this.isStopped) this.runtime.rounds.answered({ controller: this.place, ordinal, decision, outcome });
  }

  private async perform(decision: Decision, basis: Basis): Promise<TapedOutcome> {
    const origin: Origin = {
      actor: this.controller.name,
      operation: basis.decision,
      correlationId: decision.cause?.correlationId ?? derivedId(basis.decision),
      causationId: decision.cause?.causationId,
      basis,
    };
    if (decision.records?.length) {
      // Somebody else may lead by now: what is left of the decision is not done here.
      if (!this.mayDecide()) return { kind: 'unled' };
      try {
        const { id } = await this.runtime.appendDecision(this.controller.stream, decision.records, { ...origin, step: 'record' }, 'r');
        origin.causationId = id;
      } catch {
        // Nothing was recorded, so nothing is done; the subject is looked at again.
        return { kind: 'unrecorded' };
      }
    }
    const steps = await this.performSteps(decision, origin);
    return steps.every(({ kind }) => kind === 'written') ? { kind: 'done' } : { kind: 'steps', steps };
  }

  private async performSteps({ steps, sequential }: Decision, origin: Origin): Promise<TapedStep[]> {
    if (!sequential) return Promise.all(steps.map((step) => this.performStep(step, origin)));
    const outcomes: TapedStep[] = [];
    for (const step of steps) {
      const stopped = outcomes.some(({ kind }) => kind === 'refused' || kind === 'unled');
      outcomes.push(stopped ? { kind: 'skipped' } : await this.performStep(step, origin));
    }
    return outcomes;
  }

  private async performStep(step: Step, origin: Origin): Promise<TapedStep> {
    if (!this.mayDecide()) return { kind: 'unled' };
    const result = await this.writer.write(step.request, { ...origin, operation: `${origin.operation}/${step.step}`, step: step.step });
    if (result.kind !== 'refused') return { kind: result.kind === 'written' ? 'written' : 'unchanged' };
    const refusal = tapedRefusal(this.controller, result.status, result.isUncertain ?? false);
    const isRecorded = step.refusal ? await this.recordRefusal(step, step.refusal, origin) : true;
    return { ...refusal, lacksRecord: !isRecorded };
  }

  private async recordRefusal({ step }: Step, refusal: Fact, origin: Origin): Promise<boolean> {
    const name = refusalOf(step);
    try {
      await this.runtime.appendDecision(this.controller.stream, [refusal], { ...origin, step: name }, name);
      return true;
    } catch {
      // The log is away: the step was refused all the same, and the subject is looked at again.
      return false;
    }
  }
}
