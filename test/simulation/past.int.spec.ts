import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { reportContext } from '../../apps/apiserver/src/serving/event-service';
import type { ResourceTable, VersionedChange } from '#libs/cluster-state';
import { chanceOf } from '#libs/kernel';
import { checkpointOf, MemoryPast, openPast, Past, PastRecorder, type PastStep, type PastStorage } from '#libs/past';
import type { EventLog } from '#libs/event-log';

const resources = ['pods', 'nodes', 'replicasets.apps', 'configmaps', 'events', 'namespaces'];
const eventsPerCheckpoint = 64;

let log: EventLog;
let head: number;
let folder: string;

/** A Deployment that is rolled out and scaled, pods that preempt and that find no room, pods that run to their end, deletions. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubereel-past-'));
  const cluster = await SimulatedCluster.create({ seed: 'past', nodes: { count: 3, cpu: '1', memory: '8Gi', pods: 20 } });
  const create = async (resource: string, namespace: string | undefined, object: object): Promise<void> => {
    await cluster.writeAndSettle({ verb: 'create', resource, namespace, object } as never);
  };
  await create('priorityclasses.scheduling.k8s.io', undefined, { metadata: { name: 'urgent' }, value: 1_000 });
  const containers = [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '300m' } } }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers } };
  await create('deployments.apps', 'default', {
    metadata: { name: 'web' },
    spec: { replicas: 8, selector: { matchLabels: { app: 'web' } }, template },
  });
  await cluster.executive.runFor(20_000);
  for (let i = 0; i < 30; i++) {
    const spec = { containers, ...(i === 3 ? { priorityClassName: 'urgent' } : {}), terminationGracePeriodSeconds: 1 };
    await create('pods', 'default', { metadata: { name: `p-${i}`, annotations: { 'kubereel.dev/run-for': '90s' } }, spec });
    await create('configmaps', 'default', { metadata: { name: `c-${i % 7}-${i}` }, data: { i: String(i) } });
    await cluster.executive.runFor(i % 5 === 4 ? 400_000 : 7_000);
    if (i % 4 === 3)
      await cluster.writeAndSettle({ verb: 'delete', target: { resource: 'pods', namespace: 'default', name: `p-${i - 2}` } } as never);
  }
  log = cluster.log;
  head = cluster.state.position;
  await cluster.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const pastOf = (storage?: PastStorage): Past => {
  const past = new Past({ log, cluster: 'local', reports: reportContext({}) });
  if (storage) past.use(storage);
  return past;
};

/** Everything is folded once, and checkpoints are written on the way. */
async function record(storage: PastStorage): Promise<void> {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const recorder = new PastRecorder(
    storage,
    turn,
    (error) => {
      throw error;
    },
    eventsPerCheckpoint,
  );
  const fold = await pastOf(storage).foldFrom(0);
  const passed = ({ append, frames, events }: PastStep): void => {
    for (const frame of frames) recorder.folded(frame, events, fold.reports);
    recorder.passed(checkpointOf(append), append.length);
  };
  for await (const _ of fold.to(head, passed)) await recorder.flush({ position: fold.state.position, time: fold.state.time, eventId: '' });
  await recorder.close();
}

const entriesOf = (table: ResourceTable): unknown => table.keys().map((key) => [key, table.get(key)]);
async function all(pages: AsyncIterable<readonly VersionedChange[]>): Promise<VersionedChange[]> {
  const changes: VersionedChange[] = [];
  for await (const page of pages) changes.push(...page);
  return changes;
}

describe.each([
  ['in memory', () => Promise.resolve(new MemoryPast() as PastStorage)],
  ['in a file', () => openPast({ folder, cluster: 'local', origin: { position: 16, id: 'o' }, eventAt: () => Promise.resolve(undefined) })],
])('the past from checkpoints %s', (_, open) => {
  it('is that of the whole log: every table at any position, and all changes since', async () => {
    const storage = await open();
    await record(storage);
    expect(storage.last()!.position).toBeGreaterThan(head * 0.9);
    const [whole, kept] = [pastOf(), pastOf(storage)];
    const chance = chanceOf('past', 'positions');
    for (let trial = 0; trial < 12; trial++) {
      const position = 1 + chance.index(head, `position/${trial}`);
      for (const resource of resources)
        expect(entriesOf(await kept.tableAt(resource, position))).toEqual(entriesOf(await whole.tableAt(resource, position)));
      for (const resource of ['pods', 'events'])
        expect(await all(kept.changes(resource, position, head))).toEqual(await all(whole.changes(resource, position, head)));
    }
    storage.close();
  });

  it('reads no more of the log than what was written since a checkpoint', async () => {
    const storage = await open();
    if (!storage.last()) await record(storage);
    const { readAll } = log;
    let read = 0;
    const counted = {
      ...log,
      readAll: async function* (options: never) {
        for await (const page of readAll.call(log, options)) {
          read += page.length;
          yield page;
        }
      },
    } as unknown as EventLog;
    const past = new Past({ log: counted, cluster: 'local', reports: reportContext({}) });
    past.use(storage);
    const position = Math.floor(head * 0.6);
    await past.tableAt('nodes', position);
    // Of one resource alone, and of a page as the log gives it.
    expect(read).toBeLessThanOrEqual(500);
    storage.close();
  });
});
