import type { ClusterState, FoldedAppend } from '#libs/cluster-state';
import type { TapedOutcome } from '#libs/events';
import { chanceOf } from '#libs/kernel';
import { isEmpty, type Controller, type Decision, type DecisionContext } from '../controller';
import { outcomesOf } from './outcomes';

/** Decisions of one controller that may be under way at once; beyond it the controller is not asked. */
export const underWayMax = 512;
/** Looks that a controller takes in one round before others get their turn. */
export const looksPerRound = 64;

/** What AskedController calls at a controller's turn. */
export interface TurnOptions {
  seed: string;
  /** Cluster time of the round, ms since the epoch. */
  now: number;
  /**
   * Called before each look is taken.
   * @param explain what will be decided, with everything looked at (`context.evaluateAll`); changes nothing
   */
  looking?(subject: string, context: DecisionContext, explain: () => Decision | undefined): void;
  /** Called for each decision that is to be carried out, in order. */
  decided(decision: Decision, context: DecisionContext): void;
}

/**
 * One life of a controller, from the record of its start on: its state, its decisions counted, those of them that it has not been told the
 * outcome of. Whether it lives or is replayed from the log makes no difference here.
 */
export class AskedController<S = unknown> {
  private readonly state: S;
  private ordinal = 0;
  private underWay = 0;

  /** @param started the record of its start, folded */
  constructor(
    readonly controller: Controller<S>,
    private readonly cluster: ClusterState,
    private readonly started: FoldedAppend,
  ) {
    this.state = controller.initial(cluster, started.time);
  }

  /** Position of the record of its start. */
  get incarnation(): number {
    return this.started.position;
  }

  nameOf(ordinal: number): string {
    return `${this.controller.name}/${this.incarnation}/${ordinal}`;
  }

  apply(append: FoldedAppend): void {
    this.controller.apply(this.state, append, this.cluster);
  }

  settle(decision: Decision, ordinal: number, outcome: TapedOutcome, now: number): void {
    this.underWay--;
    this.controller.settled(this.state, decision, ordinal, outcomesOf(decision, outcome), now);
  }

  /** The subject that it would look at now; undefined: none, or too many of its decisions are under way. */
  due(now: number): string | undefined {
    return this.underWay < underWayMax ? this.controller.next(this.state, this.cluster, now) : undefined;
  }

  /** When time alone could bring the next look, ms since the epoch; undefined also while too many decisions are under way. */
  nextWake(now: number): number | undefined {
    return this.underWay < underWayMax ? this.controller.nextWake(this.state, now) : undefined;
  }

  /** Looks at what is due, as often as a round lets it. */
  turn({ seed, now, looking, decided }: TurnOptions): { looks: number; isMoreDue: boolean } {
    const { controller, state, cluster } = this;
    for (let looks = 0; ; looks++) {
      const subject = this.due(now);
      if (subject === undefined) return { looks, isMoreDue: false };
      if (looks === looksPerRound) return { looks, isMoreDue: true };
      const name = this.nameOf(this.ordinal);
      const context: DecisionContext = { now, decision: name, ordinal: this.ordinal, chance: chanceOf(seed, name) };
      looking?.(subject, context, () =>
        controller.decide(state, cluster, subject, { ...context, chance: chanceOf(seed, name), evaluateAll: true }),
      );
      const decision = controller.decide(state, cluster, subject, context);
      controller.decided(state, cluster, subject, decision, context);
      if (!decision || isEmpty(decision)) continue;
      this.ordinal++;
      this.underWay++;
      decided(decision, context);
    }
  }
}
