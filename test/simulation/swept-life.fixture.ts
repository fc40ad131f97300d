import { ClusterRuntime, ControllerShell, VirtualClock, Writer, type Controller } from '#libs/control-loop';
import { LogFold, LogTree, ClusterState, readAppends, restoreSnapshot, takeSnapshot } from '#libs/cluster-state';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { findingText, verify } from '#libs/audit';
import { chanceOf } from '#libs/kernel';
import { schedulerController } from '#libs/scheduler';
import { SimulatedCluster, simulationStart } from '../../apps/cli/src/simulation/simulated-cluster';
import { controllerFactory } from '../../apps/cli/src/up/controllers';
import { FaultyLog, type Faults } from './faulty-log.fixture';
import { nodesOfLife, RandomLife } from './random-life.fixture';

/** How a process ends. */
type End = 'killed' | 'stopped' | 'stopped in the middle';

const livesMax = 3;
const stepsMax = 8;
const secondScheduler = 'b';

/** Virtual time in which so many cluster seconds pass in a real one. */
class FastClock extends VirtualClock {
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
 * A cluster that is lived in at random over a log that fails in every way it can: processes are killed between any two appends and started
 * again, some from a snapshot, some with a second scheduler beside them. Whatever happens, the log is a clean one.
 */
export class SweptLife {
  private readonly log: EventLog = createMemoryLog({ now: () => this.time });
  private time = simulationStart;
  private draws = 0;
  readonly told: string[] = [];
  /** What the sweep was about, for its last line. */
  events = 0;
  decisions = 0;
  faults = 0;

  constructor(private readonly seed: string) {}

  /** Everything that verify finds, at the end and on the way. */
  async findings(): Promise<string[]> {
    const found: string[] = [];
    const lives = 1 + this.draw(livesMax);
    for (let life = 0; life < lives && found.length === 0; life++) {
      await this.live(life);
      found.push(...(await this.verified()));
    }
    return found;
  }

  private async verified(): Promise<string[]> {
    const { findings, unproven, events, agreed } = await verify({
      log: this.log,
      cluster: 'local',
      controllers: await controllerFactory(),
    });
    this.events = events;
    this.decisions = agreed;
    return [...findings.map(findingText), ...unproven.map(({ text }) => `unproven: ${text}`)];
  }

  /** From the start of a process to its end. */
  private async live(number: number): Promise<void> {
    const clock = new FastClock(this.time + this.draw(20_000), this.draw(3) === 0 ? 60 : 1);
    const chance = chanceOf(this.seed, `line/${number}`);
    const line = new FaultyLog(this.log, clock, chance);
    const others = new FaultyLog(this.log, clock, chanceOf(this.seed, `other line/${number}`));
    const from = number > 0 && this.draw(2) === 0 ? await this.snapshot() : undefined;
    this.told.push(`life ${number}: ×${clock.inRealMs(1)}${from ? ', from a snapshot' : ''}`);
    const cluster = await SimulatedCluster.create({
      seed: this.seed,
      clock,
      log: line.log,
      writer: `process-${number}`,
      from,
      nodes: nodesOfLife,
    });
    const other = this.draw(3) === 0 ? await this.besides(others, clock, number) : undefined;
    const life = new RandomLife(cluster, `${this.seed}/${number}`);
    if (number === 0) await life.begin();
    line.faults = this.drawFaults();
    others.faults = line.faults;
    const steps = 1 + this.draw(stepsMax);
    const end = (['killed', 'stopped', 'stopped in the middle'] as const)[this.draw(3)] as End;
    if (end === 'killed') line.killAfter(this.draw(steps * 20));
    for (let step = 0; step < steps; step++) await life.step();
    this.told.push(`${steps} steps, ${end}`);
    if (end !== 'stopped in the middle') await cluster.executive.runFor(3_000);
    // Nobody lets time pass for what a stop would have to wait for.
    line.faults = undefined;
    if (end !== 'killed') await cluster.runtime.stop();
    line.kill();
    others.kill();
    await cluster.close();
    await other?.close();
    this.faults += line.happened + others.happened;
    this.time = clock.now();
  }

  private async besides(line: FaultyLog, clock: VirtualClock, number: number): Promise<ClusterRuntime> {
    const runtime = await ClusterRuntime.start({ log: line.log, cluster: 'local', clock, writer: `other-${number}`, seed: this.seed });
    await new ControllerShell(
      runtime,
      new Writer(runtime),
      schedulerController({ identity: secondScheduler }) as unknown as Controller,
    ).start();
    return runtime;
  }

  private async snapshot(): Promise<{ state: ClusterState; tree: LogTree }> {
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

  private drawFaults(): Faults {
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

  private draw(bound: number): number {
    return chanceOf(this.seed, `sweep/${this.draws++}`).index(bound, '');
  }
}
