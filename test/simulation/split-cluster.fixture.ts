import type { ClusterState, LogTree } from '#libs/cluster-state';
import { ClusterRuntime, SimulationExecutive, type Clock, type VirtualClock, type WriteResult } from '#libs/control-loop';
import type { EventLog } from '#libs/event-log';
import { chanceOf, type Chance } from '#libs/kernel';
import { serviceUnavailable, type WriteRequest } from '#libs/kube-api';
import { appNames, type AppName } from '../../apps/cli/src/up/apps';
import { AppProcess } from './app-process.fixture';
import type { Faults } from './faulty-log.fixture';
import type { LivedCluster } from './random-life.fixture';
import { Machine, SetClock } from './set-clock.fixture';
import { SkewedClock } from './skewed-clock.fixture';

/** Which apps share a process; where there are two control planes, of each app one instance leads. */
const layouts: readonly (readonly (readonly AppName[])[])[] = [
  appNames.map((app) => [app]),
  [['apiserver', 'priority-admission', 'pdb-controller'], ['scheduler', 'kubelet'], ['controller-manager']],
  [appNames, appNames],
  [...appNames.map((app) => [app]), ['scheduler'], ['controller-manager'], ['kubelet']],
];
const machineNames = ['one', 'two'];
/** How far the clocks of the machines may be ahead, ms. */
const aheads = [0, 0, 40, 700, 2_500];
/** Where clocks are set: by how much at first, and each time, ms. */
const steps = [1_500, -1_500, 20_000, -20_000, 600_000, -600_000, 86_400_000, -86_400_000];
/** Longest that a start or a stop takes, ms; whatever takes longer is killed. */
const patienceMs = 120_000;

export interface SplitSetup {
  log: EventLog;
  clock: VirtualClock;
  seed: string;
  /** Of the processes' names. */
  life: number;
  from?: () => Promise<{ state: ClusterState; tree: LogTree }>;
}

/** A control plane of several processes over one log, in virtual time. Any of them may be killed, stopped and started again at any time. */
export class SplitCluster implements LivedCluster {
  /** By name; none where nobody sets a clock. */
  private readonly machines = new Map<string, Machine>();
  private readonly startTime: number;
  private readonly slots: { apps: readonly AppName[]; process?: AppProcess }[];
  readonly executive: SimulationExecutive;
  private starts = 0;
  private draws = 0;
  private happened = 0;
  private faults: Faults | undefined;

  private constructor(
    private readonly setup: SplitSetup,
    /** Somebody who only looks on. */
    readonly onlooker: ClusterRuntime,
  ) {
    this.startTime = setup.clock.now();
    if (this.clockChance('are set').index(4, '') === 0)
      for (const name of machineNames) this.machines.set(name, new Machine(setup.clock, this.drawStep(name)));
    this.slots = this.oneOf(layouts).map((apps) => ({ apps }));
    this.executive = new SimulationExecutive(this, setup.clock);
  }

  static async create(setup: SplitSetup): Promise<SplitCluster> {
    const { log, clock, seed, life } = setup;
    const onlooker = await ClusterRuntime.start({
      log,
      cluster: 'local',
      clock: new SkewedClock(clock, 0),
      writer: `onlooker-${life}`,
      seed,
    });
    const cluster = new SplitCluster(setup, onlooker);
    await cluster.startMissing();
    return cluster;
  }

  get pending(): number {
    return this.slots.reduce((sum, { process }) => sum + (process?.pending ?? 0), 0);
  }

  get state(): ClusterState {
    return this.onlooker.state;
  }

  /** So much has gone wrong on all lines. */
  get faultCount(): number {
    return this.slots.reduce((sum, { process }) => sum + (process?.line.happened ?? 0), this.happened);
  }

  async write(request: WriteRequest, user = 'admin'): Promise<WriteResult> {
    const serving = this.slots.filter(({ process }) => process?.serves('apiserver'));
    const process = serving.length === 0 ? undefined : this.oneOf(serving).process;
    return (await process?.write(request, user)) ?? { kind: 'refused', status: serviceUnavailable('nobody is there') };
  }

  /** What goes wrong from now on, on all lines. */
  spoil(faults: Faults | undefined): void {
    this.faults = faults;
    for (const { process } of this.slots) if (process) process.faults = faults;
  }

  /** Kills, stops and starts processes; each with a chance of its own. */
  async shake(): Promise<string[]> {
    const told: string[] = [];
    for (const slot of this.slots) {
      const { process } = slot;
      const what = this.draw(30);
      if (!process || process.isOver || what > 2) continue;
      told.push(`${process.setup.name} ${['killed', 'killed soon', 'stopped'][what]}`);
      if (what === 0) process.kill();
      else if (what === 1) process.line.killAfter(this.draw(20));
      else await this.stopped(process);
    }
    for (const [name, machine] of this.machines) {
      if (this.clockChance(`${name}/${this.draws}`).index(3, '') !== 0) continue;
      const byMs = this.drawStep(`${name}/${this.draws}`);
      told.push(`clock of ${name} set by ${byMs} ms`);
      machine.set(byMs);
    }
    if (this.draw(2) === 0) await this.startMissing();
    return told;
  }

  async startMissing(): Promise<void> {
    const starting: Promise<void>[] = [];
    for (const slot of this.slots) {
      if (slot.process && !slot.process.isOver) continue;
      this.happened += slot.process?.line.happened ?? 0;
      const from = this.draw(3) === 0 ? await this.setup.from?.() : undefined;
      slot.process = this.process(slot.apps, from);
      starting.push(this.within(slot.process, slot.process.start()));
    }
    await this.passing(Promise.all(starting));
  }

  /** Everything that runs is stopped, in the order of `kubereel up`: the API servers last. */
  async stop(): Promise<void> {
    this.spoil(undefined);
    const seals = ({ setup }: AppProcess): boolean => setup.apps.includes('apiserver');
    const running = this.slots.flatMap(({ process }) => (process && !process.isOver ? [process] : []));
    for (const group of [running.filter((process) => !seals(process)), running.filter(seals)])
      await this.passing(Promise.all(group.map((process) => this.within(process, process.stop()))));
  }

  async close(): Promise<void> {
    for (const { process } of this.slots) process?.kill();
    await this.onlooker.close();
  }

  private process(apps: readonly AppName[], from?: { state: ClusterState; tree: LogTree }): AppProcess {
    const { log, clock, seed, life } = this.setup;
    const name = `${apps.length === 1 ? apps[0] : 'several'}-${life}-${this.starts++}`;
    const ahead = this.oneOf(aheads);
    const machine = this.oneOf(machineNames);
    const process = new AppProcess({
      name,
      apps,
      log,
      clock,
      ownClock: this.clockOf(machine, ahead),
      seed,
      from,
      machine,
      chance: chanceOf(seed, `line/${name}`),
      isDead: (other) => this.isDead(other),
    });
    process.faults = this.faults;
    return process;
  }

  private clockOf(machine: string, ahead: number): Clock {
    const { clock } = this.setup;
    const set = this.machines.get(machine);
    return set ? new SetClock(clock, set, this.startTime) : new SkewedClock(clock, ahead);
  }

  private drawStep(what: string): number {
    return steps[this.clockChance(`step/${what}`).index(steps.length, '')] as number;
  }

  /** Apart from the other draws. */
  private clockChance(what: string): Chance {
    return chanceOf(this.setup.seed, `clocks/${this.setup.life}/${what}`);
  }

  private isDead(name: string): boolean {
    for (const { process } of this.slots) if (process?.setup.name === name) return process.isOver;
    // Of an earlier start, or an earlier life.
    return true;
  }

  private stopped(process: AppProcess): Promise<void> {
    return this.passing(this.within(process, process.stop()));
  }

  /** What takes too long is killed, as a supervisor does. */
  private async within(process: AppProcess, work: Promise<void>): Promise<void> {
    const { clock } = this.setup;
    const timer = clock.at(clock.now() + patienceMs, () => process.kill());
    await work;
    timer.cancel();
  }

  /** Lets time pass until this is done. */
  private async passing(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    void work.finally(() => (isDone = true));
    for (;;) {
      await this.executive.settle();
      if (isDone) return;
      await this.executive.runFor(50);
    }
  }

  private oneOf<T>(choices: readonly T[]): T {
    return choices[this.draw(choices.length)] as T;
  }

  private draw(bound: number): number {
    return chanceOf(this.setup.seed, `split/${this.setup.life}/${this.draws++}`).index(bound, '');
  }
}
