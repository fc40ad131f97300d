import { VirtualClock } from '#libs/control-loop';
import { ClusterState, LogFold, LogTree, readAppends, restoreSnapshot, takeSnapshot } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend } from '#libs/events';
import { findingText, verify, type VerifyReport } from '#libs/audit';
import { chanceOf } from '#libs/kernel';
import { simulationStart } from '#libs/testing';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { eventsIn } from '../mutants/stored-log';
import type { Faults } from './faulty-log.fixture';

const livesMax = 3;
export const stepsMax = 8;

/** Virtual time in which so many cluster seconds pass in a real one. */
export class FastClock extends VirtualClock {
  constructor(
    time: number,
    private readonly speed: number,
  ) {
    super(time);
  }

  override inRealMs(ms: number): number {
    return ms * this.speed;
  }
}

/**
 * A cluster that is lived in at random over a log that fails in every way it can, in one life after the other: each has processes of its
 * own. Whatever happens, the log is a clean one.
 */
export abstract class SweptLife {
  protected readonly log: EventLog;
  protected time = simulationStart;
  private draws = 0;
  readonly told: string[] = [];
  /** What the sweep was about, for its last line. */
  events = 0;
  decisions = 0;
  faults = 0;

  constructor(readonly seed: string) {
    // As a process that serves others has it: appends of one turn of the event loop are committed together.
    const live = chanceOf(seed, 'log').index(2, '') === 1;
    this.log = createMemoryLog({ now: () => this.time, live });
  }

  /** From the start of processes to their end, from number 0 on. */
  protected abstract live(number: number): Promise<void>;

  /** Everything that verify finds, at the end of each life. */
  async findings(): Promise<string[]> {
    const found: string[] = [];
    const lives = 1 + this.draw(livesMax);
    for (let life = 0; life < lives && found.length === 0; life++) {
      await this.live(life);
      const report = await this.verified();
      this.events = report.events;
      this.decisions = report.agreed;
      found.push(...wrongIn(report));
    }
    return found;
  }

  /** What verify finds while the log is still being written: at so many places between two appends. */
  async findingsOnTheWay(places: number): Promise<string[]> {
    const all = await this.stored();
    const ends = all.filter((_, index) => index + 1 === all.length || isFirstOfAppend(all[index + 1]?.metadata));
    for (let place = 0; place < places; place++) {
      const { position } = ends[this.draw(ends.length)] as RecordedEvent;
      const found = wrongIn(await this.verified(position));
      if (found.length > 0) return [`up to position ${position}:`, ...found];
    }
    return [];
  }

  stored(): Promise<RecordedEvent[]> {
    return eventsIn(this.log);
  }

  protected async snapshot(): Promise<{ state: ClusterState; tree: LogTree }> {
    const state = new ClusterState('local');
    const fold = new LogFold(state);
    const tree = new LogTree();
    for await (const page of readAppends(this.log, 'local')) {
      for (const append of page) {
        fold.fold(append);
        tree.take(append);
      }
    }
    return { state: restoreSnapshot('local', JSON.parse(JSON.stringify(takeSnapshot(state))))!, tree };
  }

  protected drawFaults(): Faults {
    const often = (): number => [0, 0, 5, 40][this.draw(4)] as number;
    return {
      refused: often(),
      answerLost: often(),
      late: often(),
      answeredLate: often(),
      again: often(),
      lagging: often(),
      away: [0, 0, 0, 3][this.draw(4)] as number,
    };
  }

  protected draw(bound: number): number {
    return chanceOf(this.seed, `sweep/${this.draws++}`).index(bound, '');
  }

  private async verified(until?: number): Promise<VerifyReport> {
    return verify({ log: this.log, cluster: 'local', until, controllers: await controllerFactory() });
  }
}

function wrongIn({ findings, unproven }: VerifyReport): string[] {
  return [...findings.map(findingText), ...unproven.map(({ text }) => `unproven: ${text}`)];
}
