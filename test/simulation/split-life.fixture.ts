import { SplitCluster } from './split-cluster.fixture';
import { FastClock, stepsMax, SweptLife } from './swept-life.fixture';

/** How a life ends: all processes at once, one after the other, or not at all while the log is read. */
const ends = ['killed', 'stopped'] as const;

/** A cluster whose apps are processes of their own, or two whole control planes over one log: each is killed, stopped and started by itself. */
export class SplitLife extends SweptLife {
  protected async live(number: number): Promise<void> {
    const clock = new FastClock(this.time + this.draw(20_000), this.draw(3) === 0 ? 60 : 1);
    this.told.push(`life ${number}: ×${clock.inRealMs(1)}`);
    const from = number === 0 ? undefined : () => this.snapshot();
    const cluster = await SplitCluster.create({ log: this.log, clock, seed: this.seed, life: number, from });
    const life = this.inhabitants(cluster, cluster.onlooker, number);
    if (number === 0) await life.begin();
    cluster.spoil(this.drawFaults(number));
    const steps = 1 + this.draw(stepsMax);
    const end = ends[this.draw(ends.length)];
    for (let step = 0; step < steps; step++) {
      await life.step();
      this.told.push(...(await cluster.shake()));
    }
    this.told.push(`${steps} steps, ${end}`);
    if (end === 'stopped') await cluster.stop();
    await cluster.close();
    this.faults += cluster.faultCount;
    this.time = clock.now();
  }
}
