import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#libs/kernel';
import type { CycleState, NodeInfo, PermitPlugin, PodInfo } from '#libs/scheduling';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { Watch, watched } from '../../libs/control-loop/src/watched-controller.fixture';
import { nodesOfLife, RandomLife } from './random-life.fixture';

/** Pods of the group go in pairs. */
class Pairs implements PermitPlugin {
  readonly name = 'Pairs';

  permit({ cycle }: CycleState, pod: PodInfo): ReturnType<PermitPlugin['permit']> {
    if (pod.labels.group === undefined) return { status: undefined };
    const others = cycle.snapshot.nodes.flatMap((node: NodeInfo) => node.pods).filter((other) => other.labels.group && other !== pod);
    return others.length % 2 === 1 ? { status: undefined } : { status: { code: 'Wait', reasons: [] }, waitMs: 9_000 };
  }
}

const schedulerConfig: JsonObject = { profiles: [{ plugins: { multiPoint: { enabled: [{ name: 'Pairs' }] } } }] };
const steps = 50;

describe('the controllers of a cluster that is lived in at random', () => {
  it.each(['a', 'b', 'c'])(
    'look without changing anything, and see the same when they look again (seed %s)',
    async (seed) => {
      const watch = new Watch();
      const cluster = await SimulatedCluster.create({
        seed,
        nodes: nodesOfLife,
        kubelet: { startupMs: 300 },
        schedulerConfig,
        schedulerPlugins: new Map([['Pairs', () => new Pairs()]]),
        standIn: (controller) => watched(controller, watch),
      });
      const life = new RandomLife(cluster, seed);
      await life.begin();
      for (let step = 0; step < steps; step++) await life.step();
      await cluster.close();
      expect(watch.faults).toEqual([]);
      // Whoever is never asked shows nothing.
      expect(watch.decisions).toBeGreaterThan(60);
      expect(watch.fruitless).toBeGreaterThan(10);
      // Every look is held against two digests of all that it leads to.
    },
    180_000,
  );
});
