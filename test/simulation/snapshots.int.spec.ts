import { describe, expect, it } from 'vitest';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { CityLife } from '../../bench/large-log/city-life';
import { ClusterState, LogFold, LogTree, readAppends, restoreSnapshot, takeSnapshot, type Append } from '#libs/cluster-state';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { chanceOf } from '#libs/kernel';

const nodes = { count: 24, cpu: '8', memory: '32Gi', pods: 110 };

/** The log of a cluster that was lived in for a few minutes. */
async function livedIn(seed: string, turns: number): Promise<{ log: EventLog; appends: Append[]; endsAt: number }> {
  const cluster = await SimulatedCluster.create({ seed, nodes });
  const life = new CityLife(cluster, seed);
  await life.settle();
  for (let turn = 0; turn < turns; turn++) await life.turn(turn);
  const endsAt = cluster.clock.now();
  await cluster.close();
  const appends: Append[] = [];
  for await (const page of readAppends(cluster.log, 'local')) appends.push(...page);
  return { log: cluster.log, appends, endsAt };
}

/** As a file keeps it. */
function throughSnapshot(state: ClusterState): ClusterState {
  return restoreSnapshot(state.cluster, JSON.parse(JSON.stringify(takeSnapshot(state))))!;
}

/** Everything that a state holds, in the order in which it holds it. */
function entriesOf(state: ClusterState): unknown {
  return JSON.parse(JSON.stringify(takeSnapshot(state)));
}

async function copied(appends: readonly Append[]): Promise<EventLog> {
  const log = createMemoryLog({ now: () => 0 });
  for (const append of appends) await log.append(append[0]!.stream, append, 'any');
  return log;
}

describe.each(['a', 'b'])('a snapshot of a cluster that was lived in (seed %s)', (seed) => {
  const lived = livedIn(seed, 1);

  it('is the state it was taken of, entry by entry and in the same order, also 200 appends later', async () => {
    const { appends } = await lived;
    const chance = chanceOf(seed, 'cuts');
    for (let trial = 0; trial < 6; trial++) {
      const cut = 200 + chance.index(appends.length - 400, `cut/${trial}`);
      const state = new ClusterState('local');
      const fold = new LogFold(state);
      for (const append of appends.slice(0, cut)) fold.fold(append);
      const restored = throughSnapshot(state);
      expect(entriesOf(restored)).toEqual(entriesOf(state));
      const on = new LogFold(restored);
      for (const append of appends.slice(cut, cut + 200)) {
        fold.fold(append);
        on.fold(append);
      }
      expect(entriesOf(restored)).toEqual(entriesOf(state));
    }
  });

  it('is as good a beginning as the whole log: the cluster lives on with the same events', async () => {
    const { appends, endsAt } = await lived;
    const whole = new ClusterState('local');
    const tree = new LogTree();
    for (const append of appends) {
      new LogFold(whole).fold(append);
      tree.take(append);
    }
    const record = JSON.stringify(tree.record());
    const told: string[][] = [];
    for (const from of [undefined, { state: throughSnapshot(whole), tree: LogTree.of(JSON.parse(record)) }]) {
      const log = await copied(appends);
      const cluster = await SimulatedCluster.create({ seed, log, startTime: endsAt, writer: 'resumed', from });
      const life = new CityLife(cluster, seed);
      await life.turn(1);
      await cluster.close();
      const events: string[] = [];
      for await (const page of log.readAll({ from: whole.position + 1 })) events.push(...page.map((event) => JSON.stringify(event)));
      told.push(events);
    }
    expect(told[0]!.length).toBeGreaterThan(300);
    expect(told[1]).toEqual(told[0]);
  });
});
