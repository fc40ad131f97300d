import { EMPTY, Observable, Subject, merge, switchMap, type Subscription as RxSubscription } from 'rxjs';
import type { FoldedAppend } from '#libs/cluster-state';
import { fact, jsonDigest, refusalOf, type Basis, type Fact } from '#libs/events';
import { chanceOf, derivedId } from '#libs/kernel';
import { internalError } from '#libs/kube-api';
import type { Clock } from './clock';
import { nextDecision, type Controller, type Decision, type DecisionContext, type Step, type StepOutcome } from './controller';
import type { Origin } from './origin';
import type { ClusterRuntime } from './runtime';
import type { Writer } from './writer';

/** Decisions of one controller that may be under way at once; beyond it the shell stops asking. */
const underWayMax = 512;
/** Decisions asked for in one go before others get their turn. */
const decisionsPerTurn = 64;

const settled = Promise.resolve();

/** Somebody else may lead by now: what is left of the decision is not done here. */
const noLead: StepOutcome = { kind: 'refused', status: internalError('this instance does not lead') };

type Signal = { kind: 'appended'; append: FoldedAppend } | { kind: 'wake' };

/** Connects one pure controller to the log and the clock: folds in, decisions out, nothing else. */
export class ControllerShell<S> {
  private readonly controller: Controller<S>;
  private state!: S;
  private ordinal = 0;
  private underWay = 0;
  /** Id of the record of its start. */
  private startedBy = '';
  /** Position of that record; 0: it has not come back yet. */
  private incarnation = 0;
  private configDigest = '';
  private turnScheduled = false;
  private readonly rewake$ = new Subject<number | undefined>();
  /** The time that the shell will be woken at; a timer is set anew only when it changes. */
  private wakesAt: number | undefined;
  private signals: RxSubscription | undefined;
  private atRest: (() => void) | undefined;

  /** @param mayDecide asked before each decision and each of its steps: no while it is not certain that this instance leads */
  constructor(
    private readonly runtime: ClusterRuntime,
    private readonly writer: Writer,
    controller: Controller<S>,
    private readonly mayDecide: () => boolean = () => true,
  ) {
    this.controller = controller;
  }

  /**
   * Records what is in force. The controller's first state is that of the cluster at this record, and every append behind it is folded
   * into it one by one, whatever batches they come in: whoever replays the log finds the same states.
   */
  async start(): Promise<void> {
    const { runtime, controller } = this;
    this.configDigest = jsonDigest(controller.config);
    const started = fact('ControllerStarted', {
      controller: controller.name,
      behaviour: controller.behaviour,
      configDigest: this.configDigest,
      config: controller.config,
    });
    // A controller may be started again in the same process, when its lead comes back.
    const operation = `start/${controller.name}/${runtime.state.position}`;
    const origin = { actor: controller.name, operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
    const appended$ = new Observable<Signal>((observer) =>
      runtime.appended$.subscribe({
        next: (append) => observer.next({ kind: 'appended', append }),
        error: () => observer.complete(),
        complete: () => observer.complete(),
      }),
    );
    const wakes$ = this.rewake$.pipe(switchMap((time) => (time === undefined ? EMPTY : wakeAt(runtime.clock, time))));
    const hear = (id: string): void => {
      this.startedBy = id;
      this.signals = merge(appended$, wakes$).subscribe((signal) => this.take(signal));
    };
    try {
      await runtime.appendDecision('controller-decisions', [started], origin, '0', hear);
    } catch (error) {
      this.stop();
      throw error;
    }
  }

  stop(): void {
    this.signals?.unsubscribe();
    this.signals = undefined;
  }

  /** It may be decided again. */
  resume(): void {
    if (this.signals && this.incarnation > 0) this.scheduleTurn();
  }

  /** Resolves when no decision is under way; after `stop` none is begun. */
  whenAtRest(): Promise<void> {
    return this.underWay === 0 ? Promise.resolve() : new Promise((resolve) => (this.atRest = resolve));
  }

  private take(signal: Signal): void {
    if (signal.kind === 'wake') this.wakesAt = undefined;
    else if (this.incarnation > 0) this.controller.apply(this.state, signal.append, this.runtime.state);
    else if (signal.append.events[0]?.id === this.startedBy) this.begin(signal.append);
    else return;
    this.scheduleTurn();
  }

  private begin({ position, time }: FoldedAppend): void {
    this.incarnation = position;
    this.state = this.controller.initial(this.runtime.state, time);
  }

  /** Turns are taken between events, never inside a fold. */
  private scheduleTurn(): void {
    if (this.turnScheduled) return;
    this.turnScheduled = true;
    this.runtime.pending++;
    // A reaction costs less than `queueMicrotask`, which makes a resource for async_hooks: there are dozens of turns a pod.
    void settled.then(() => {
      this.turnScheduled = false;
      this.runtime.pending--;
      if (this.signals) this.turn();
    });
  }

  private turn(): void {
    if (!this.mayDecide()) return;
    let left = decisionsPerTurn;
    while (this.underWay < underWayMax) {
      if (left-- === 0) {
        this.yieldTurn();
        return;
      }
      const context = this.context();
      const decision = nextDecision(this.controller, this.state, this.runtime.state, context);
      if (!decision) break;
      this.ordinal++;
      void this.execute(decision, context);
    }
    this.wakeNext(this.controller.nextWake(this.state, this.runtime.clock.now()));
  }

  private wakeNext(time: number | undefined): void {
    if (time === this.wakesAt) return;
    this.wakesAt = time;
    this.rewake$.next(time);
  }

  /** Lets input and output through before the next decisions. */
  private yieldTurn(): void {
    this.runtime.pending++;
    setImmediate(() => {
      this.runtime.pending--;
      this.scheduleTurn();
    });
  }

  private context(): DecisionContext {
    const decision = `${this.controller.name}/${this.incarnation}/${this.ordinal}`;
    return { now: this.runtime.clock.now(), decision, ordinal: this.ordinal, chance: chanceOf(this.runtime.seed, decision) };
  }

  private async execute(decision: Decision, context: DecisionContext): Promise<void> {
    this.underWay++;
    for (const call of decision.calls ?? []) this.runtime.calls$.next(call);
    const basis: Basis = {
      decision: context.decision,
      subject: decision.subject,
      position: this.runtime.state.position,
      now: context.now,
      ...(decision.assumedFrom === undefined ? {} : { assumedFrom: decision.assumedFrom }),
      ...(decision.inputs ? { inputs: decision.inputs } : {}),
      config: this.configDigest,
      behaviour: this.controller.behaviour,
    };
    const outcomes = await this.perform(decision, basis);
    if (--this.underWay === 0) this.atRest?.();
    if (!this.signals) return;
    this.controller.settled(this.state, decision, context.ordinal, outcomes, this.runtime.clock.now());
    this.scheduleTurn();
  }

  private async perform(decision: Decision, basis: Basis): Promise<StepOutcome[]> {
    const origin: Origin = {
      actor: this.controller.name,
      operation: basis.decision,
      correlationId: decision.cause?.correlationId ?? derivedId(basis.decision),
      causationId: decision.cause?.causationId,
      basis,
    };
    if (decision.records?.length) {
      if (!this.mayDecide()) return [noLead];
      try {
        const { id } = await this.runtime.appendDecision(this.controller.stream, decision.records, { ...origin, step: 'record' }, 'r');
        origin.causationId = id;
      } catch (error) {
        // Nothing was recorded, so nothing is done; the subject is looked at again.
        return [{ kind: 'refused', status: internalError((error as Error).message) }];
      }
    }
    if (!decision.sequential) return Promise.all(decision.steps.map((step) => this.performStep(step, origin)));
    const outcomes: StepOutcome[] = [];
    for (const step of decision.steps) {
      const stopped = outcomes.some((outcome) => outcome.kind === 'refused');
      outcomes.push(stopped ? { kind: 'skipped' } : await this.performStep(step, origin));
    }
    return outcomes;
  }

  private async performStep(step: Step, origin: Origin): Promise<StepOutcome> {
    if (!this.mayDecide()) return noLead;
    const result = await this.writer.write(step.request, { ...origin, operation: `${origin.operation}/${step.step}`, step: step.step });
    if (result.kind === 'refused') {
      if (step.refusal) await this.recordRefusal(step, step.refusal, origin);
      return { kind: 'refused', status: result.status };
    }
    return result.kind === 'written' ? { kind: 'written', position: result.position } : { kind: 'unchanged' };
  }

  private async recordRefusal({ step }: Step, refusal: Fact, origin: Origin): Promise<void> {
    const name = refusalOf(step);
    try {
      await this.runtime.appendDecision(this.controller.stream, [refusal], { ...origin, step: name }, name);
    } catch {
      // The log is away: the step was refused all the same, and the subject is looked at again.
    }
  }
}

/** Emits once when the clock has reached the time. */
function wakeAt(clock: Clock, time: number): Observable<Signal> {
  return new Observable((observer) => {
    const timer = clock.at(time, () => {
      observer.next({ kind: 'wake' });
      observer.complete();
    });
    return () => timer.cancel();
  });
}
