import { VirtualClock, type ClusterRuntime } from '#libs/control-loop';
import { ClusterState, LogFold, LogTree, readAppends, restoreSnapshot, takeSnapshot } from '#libs/cluster-state';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';
import { isFirstOfAppend, type Fact } from '#libs/events';
import { findingText, verify, type VerifyReport } from '#libs/audit';
import { chanceOf, derivedId } from '#libs/kernel';
import { simulationStart } from '#libs/testing';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { eventsIn } from '../mutants/stored-log';
import type { Faults } from './faulty-log.fixture';
import { brokenInvariants } from './invariants';
import { nodesOfLife, RandomLife, type LivedCluster } from './random-life.fixture';
import { RandomPods } from './random-pods.fixture';
import { stuckPods } from './stuck-pods';

/** What is lived: pods that fight for room, or pods whose containers do all that containers do, on nodes that fail. */
export type Happening = 'room' | 'pods';

/** Back-offs, graces, probes and evictions are over after so long, ms. */
const recoveryMs = 1_500_000;
/** More than the clocks of several machines are apart, ms. */
const clockSlackMs = 10_000;
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

  constructor(
    readonly seed: string,
    private readonly happening: Happening = 'room',
  ) {
    // As a process that serves others has it: appends of one turn of the event loop are committed together.
    const live = chanceOf(seed, 'log').index(2, '') === 1;
    this.log = createMemoryLog({ now: () => this.time, live });
  }

  /** From the start of processes to their end, from number 0 on. */
  protected abstract live(number: number): Promise<void>;

  /** Everything that verify finds, at the end of each life. */
  async findings(): Promise<string[]> {
    const lives = 1 + this.draw(livesMax);
    for (let life = 0; life < lives; life++) {
      await this.live(life);
      // What is wrong stays so: where another life follows for certain, it is looked for once.
      if (this.happening === 'pods') continue;
      const found = await this.wrong();
      if (found.length > 0) return found;
    }
    return this.happening === 'pods' ? [...(await this.recovered()), ...(await this.wrong())] : [];
  }

  private async wrong(): Promise<string[]> {
    const report = await this.verified();
    this.events = report.events;
    this.decisions = report.agreed;
    const broken = this.happening === 'pods' ? await brokenInvariants(this.log) : [];
    return [...wrongIn(report), ...broken];
  }

  /** What is stuck after everything has been well for long. */
  private async recovered(): Promise<string[]> {
    // Some machine's clock was ahead.
    const clock = new FastClock(Math.max(this.time, await this.lastTime()) + clockSlackMs, 1);
    const cluster = await SimulatedCluster.create({ seed: this.seed, clock, log: this.log, writer: 'afterwards', nodes: nodesOfLife });
    await new RandomPods(shaken(cluster, cluster.runtime), `${this.seed}/afterwards`).heal();
    await cluster.executive.runFor(recoveryMs);
    const stuck = stuckPods(cluster.state, clock.now());
    await cluster.seal();
    await cluster.runtime.stop();
    await cluster.close();
    this.time = clock.now();
    return stuck;
  }

  private async lastTime(): Promise<number> {
    const all = await this.stored();
    return all.reduce((latest, { metadata }) => Math.max(latest, (metadata.time as number | undefined) ?? 0), 0);
  }

  /** @param runtime tells what befalls the nodes */
  protected inhabitants(cluster: LivedCluster, runtime: ClusterRuntime, number: number): RandomLife | RandomPods {
    const seed = `${this.seed}/${number}`;
    return this.happening === 'room' ? new RandomLife(cluster, seed) : new RandomPods(shaken(cluster, runtime), seed);
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

  protected drawFaults(life: number): Faults {
    const often = (): number => [0, 0, 5, 40][this.draw(4)] as number;
    return {
      refused: often(),
      answerLost: often(),
      late: often(),
      answeredLate: often(),
      again: often(),
      lagging: often(),
      away: [0, 0, 0, 3][this.draw(4)] as number,
      // Apart from the other draws.
      lost: [0, 0, 0, 40][chanceOf(this.seed, `untold/${life}`).index(4, '')] as number,
    };
  }

  protected draw(bound: number): number {
    return chanceOf(this.seed, `sweep/${this.draws++}`).index(bound, '');
  }

  private async verified(until?: number): Promise<VerifyReport> {
    // A process that is up before the API server writes by the seed it was given, of which the log says nothing before the server does.
    return verify({ log: this.log, cluster: 'local', until, seed: this.seed, controllers: await controllerFactory() });
  }
}

function shaken(cluster: LivedCluster, runtime: ClusterRuntime): LivedCluster & { tell(facts: readonly Fact[]): Promise<unknown> } {
  let told = 0;
  const tell = (facts: readonly Fact[]): Promise<unknown> => {
    const operation = `${runtime.options.writer}/befall/${told++}`;
    const origin = { actor: 'user:operator', operation, correlationId: derivedId(operation) };
    // Who tells of it may be cut off, or killed, as anybody.
    return runtime.appendDecision('kubelet-decisions', facts, origin, '0').catch(() => undefined);
  };
  return { state: cluster.state, write: (...args) => cluster.write(...args), executive: cluster.executive, tell };
}

function wrongIn({ findings, unproven }: VerifyReport): string[] {
  return [...findings.map(findingText), ...unproven.map(({ text }) => `unproven: ${text}`)];
}
