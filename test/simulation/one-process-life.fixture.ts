import { ClusterRuntime, ControllerShell, Writer, type Controller, type VirtualClock } from '#libs/control-loop';
import { chanceOf } from '#libs/kernel';
import { schedulerController } from '#libs/scheduler';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { FaultyLog } from './faulty-log.fixture';
import { nodesOfLife } from './random-life.fixture';
import { FastClock, stepsMax, SweptLife } from './swept-life.fixture';

/** How a process ends. */
const ends = ['killed', 'stopped', 'stopped in the middle'] as const;
const secondScheduler = 'b';

/** A cluster in one process, which is killed between any two appends and started again, some from a snapshot, some with a second scheduler. */
export class OneProcessLife extends SweptLife {
  protected async live(number: number): Promise<void> {
    const clock = new FastClock(this.time + this.draw(20_000), this.draw(3) === 0 ? 60 : 1);
    const line = new FaultyLog(this.log, clock, chanceOf(this.seed, `line/${number}`));
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
    const life = this.inhabitants(cluster, cluster.runtime, number);
    if (number === 0) await life.begin();
    line.faults = this.drawFaults(number);
    others.faults = line.faults;
    const steps = 1 + this.draw(stepsMax);
    const end = ends[this.draw(ends.length)];
    if (end === 'killed') line.killAfter(this.draw(steps * 20));
    for (let step = 0; step < steps; step++) await life.step();
    this.told.push(`${steps} steps, ${end}`);
    if (end !== 'stopped in the middle') await cluster.executive.runFor(3_000);
    // Nobody lets time pass for what a stop would have to wait for.
    line.faults = undefined;
    if (end === 'stopped') await cluster.seal();
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
}
