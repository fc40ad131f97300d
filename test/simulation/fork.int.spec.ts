import { describe, expect, it } from 'vitest';
import { findingText, verify } from '#libs/audit';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { foldLog, takeSnapshot, type ClusterState } from '#libs/cluster-state';
import { forkLog } from '#libs/control-loop';
import { createMemoryLog, type EventLog, type RecordedEvent } from '#libs/event-log';

const nodes = { count: 3, cpu: '2', memory: '8Gi', pods: 20 };
const containers = [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '100m' } } }];

async function create(cluster: SimulatedCluster, resource: string, object: object): Promise<void> {
  await cluster.writeAndSettle({ verb: 'create', resource, namespace: 'default', object } as never);
  await cluster.executive.runFor(5_000);
}

const deployment = (name: string, replicas: number): object => {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
};

/** A cluster in which three things happened one after the other, and the position after the first. */
async function lived(): Promise<{ cluster: SimulatedCluster; position: number; time: number }> {
  const cluster = await SimulatedCluster.create({ seed: 'fork', nodes });
  await create(cluster, 'deployments.apps', deployment('web', 3));
  const { position } = cluster.state;
  const time = cluster.clock.now();
  await create(cluster, 'deployments.apps', deployment('later', 2));
  await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'deployments.apps', namespace: 'default', name: 'web' } } as never);
  await cluster.executive.runFor(60_000);
  return { cluster, position, time };
}

const podsOf = (state: ClusterState): string[] => [...state.list('pods')].map(({ metadata }) => metadata.labels?.app as string).sort();
async function all(log: EventLog): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const page of log.readAll()) events.push(...page);
  return events;
}

describe('a cluster on a fork of a log', () => {
  it('goes on from the moment of the fork, and neither sees nor changes what its parent did later', async () => {
    const { cluster, position, time } = await lived();
    const before = await all(cluster.log);
    const log = await forkLog({ parent: cluster.log, cluster: 'local', position, own: createMemoryLog() });
    expect(JSON.stringify(takeSnapshot(await foldLog(log, 'local', { until: position })))).toBe(
      JSON.stringify(takeSnapshot(await foldLog(cluster.log, 'local', { until: position }))),
    );
    const forked = await SimulatedCluster.create({ seed: 'other', log, startTime: time, writer: 'forked' });
    expect(podsOf(forked.state)).toEqual(['web', 'web', 'web']);
    await create(forked, 'deployments.apps', deployment('otherwise', 4));
    await forked.executive.runFor(60_000);
    expect(podsOf(forked.state)).toEqual(['otherwise', 'otherwise', 'otherwise', 'otherwise', 'web', 'web', 'web']);
    expect(podsOf(cluster.state)).toEqual(['later', 'later']);
    expect(await all(cluster.log)).toEqual(before);
    const events = await all(log);
    expect(events.slice(0, before.filter((event) => event.position <= position).length)).toEqual(
      before.filter((event) => event.position <= position),
    );
    expect(events.find((event) => event.position > position)).toMatchObject({
      type: 'LogForked',
      data: { position, parent: before[0]!.id },
    });
    await forked.seal();
    const report = await verify({ log, cluster: 'local', controllers: forked.controllers });
    expect({ findings: report.findings.map(findingText), unproven: report.unproven }).toEqual({ findings: [], unproven: [] });
    await forked.close();
    await cluster.close();
  });

  it('is opened again as it was left, and refused for another moment or another parent', async () => {
    const { cluster, position, time } = await lived();
    const own = createMemoryLog();
    const log = await forkLog({ parent: cluster.log, cluster: 'local', position, own });
    const forked = await SimulatedCluster.create({ seed: 'fork', log, startTime: time, writer: 'forked' });
    await create(forked, 'deployments.apps', deployment('otherwise', 1));
    await forked.close();
    const events = await all(log);
    const again = await forkLog({ parent: cluster.log, cluster: 'local', position: position + 3, own });
    expect(await all(again)).toEqual(events);
    await expect(forkLog({ parent: cluster.log, cluster: 'local', position: position + 64, own })).rejects.toThrow(/another fork/);
    await expect(forkLog({ parent: own, cluster: 'local', position: 1_000_000, own: cluster.log })).rejects.toThrow(/no fork/);
    await expect(forkLog({ parent: createMemoryLog(), cluster: 'local', position, own })).rejects.toThrow(/nothing of the cluster/);
    await cluster.close();
  });
});
