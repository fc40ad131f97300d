import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SimulatedCluster } from '../../apps/cli/src/simulation/simulated-cluster';
import { reportContext } from '../../apps/apiserver/src/serving/event-service';
import { ClusterState, LogFold, readAppends, type ResourceTable, type VersionedChange } from '#libs/cluster-state';
import { chanceOf } from '#libs/kernel';
import {
  checkpointOf,
  MemoryPast,
  openOutlineStorage,
  openPast,
  Outline,
  Past,
  PastRecorder,
  type PastStep,
  type PastStorage,
} from '#libs/past';
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

/** As they are shown: who owns which fields is found out when an object is written. */
const entriesOf = (table: ResourceTable): unknown => JSON.parse(JSON.stringify(table.keys().map((key) => [key, table.get(key)])));
async function all(pages: AsyncIterable<readonly VersionedChange[]>): Promise<VersionedChange[]> {
  const changes: VersionedChange[] = [];
  for await (const page of pages) changes.push(...page);
  return JSON.parse(JSON.stringify(changes)) as VersionedChange[];
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

const bounds = { eventsPerCheckpoint: 32, longLife: 12 };
const fail = (error: Error): void => {
  throw error;
};

describe('the past from an outline of the log', () => {
  const path = (): string => join(folder, 'snapshots', 'outline.sqlite');
  const eventAt = async (position: number): Promise<string | undefined> => {
    for await (const [event] of log.readAll({ from: position, limit: 1 })) return event?.position === position ? event.id : undefined;
    return undefined;
  };
  const openOutline = async (origin = 'o', of: EventLog = log): Promise<Outline> => {
    const storage = await openOutlineStorage({ folder, cluster: 'local', origin: { position: 16, id: origin }, eventAt });
    return new Outline(of, 'local', storage, fail, bounds);
  };
  const withoutWal = (): void => rmSync(`${path()}-wal`, { force: true });
  /** As a start folds the log, as far as it comes. */
  const whileFolding = async (outline: Outline, until = head): Promise<void> => {
    outline.follow();
    const fold = new LogFold(new ClusterState('local'), { onFolded: (frame) => outline.folded(frame) });
    for await (const appends of readAppends(log, 'local', { until })) for (const append of appends) fold.fold(append);
  };
  const byReading = (outline: Outline, until = head): Promise<void> =>
    outline.catchUp(
      () => until,
      () => Promise.resolve(),
    );
  /** The process dies: nothing more is written. */
  const die = (outline: Outline): void => outline.close({ position: -1, time: 0, eventId: '' });

  const expectThePast = async (outline: Outline, storage: PastStorage = new MemoryPast()): Promise<void> => {
    expect(outline.upTo(head)!.position).toBeGreaterThan(head * 0.9);
    const [whole, outlined] = [pastOf(), pastOf()];
    outlined.use(storage, outline);
    const chance = chanceOf('past', 'outlined');
    for (let trial = 0; trial < 12; trial++) {
      const position = 1 + chance.index(head, `position/${trial}`);
      for (const resource of resources)
        expect(entriesOf(await outlined.tableAt(resource, position))).toEqual(entriesOf(await whole.tableAt(resource, position)));
      expect(await all(outlined.changes('pods', position, head))).toEqual(await all(whole.changes('pods', position, head)));
    }
  };

  beforeEach(() => rmSync(join(folder, 'snapshots'), { recursive: true, force: true }));

  it('is that of the whole log where the outline was drawn while the log was folded', async () => {
    const outline = await openOutline();
    await whileFolding(outline);
    await expectThePast(outline);
    outline.close({ position: head, time: 0, eventId: '' });
  });

  it('is the same where the outline was drawn by reading the log', async () => {
    const outline = await openOutline();
    await byReading(outline);
    await expectThePast(outline);
    outline.close({ position: head, time: 0, eventId: '' });
  });

  it.each([
    ['folding', whileFolding],
    ['reading', byReading],
  ] as const)('goes on after deaths in the middle of %s, in either way', async (_, first) => {
    const chance = chanceOf('past', 'deaths');
    for (let death = 0; death < 4; death++) {
      const outline = await openOutline();
      await (death % 2 === 0 ? first : byReading)(outline, 16 * chance.index(head / 16, `at/${death}`));
      die(outline);
    }
    const folded = await openOutline();
    await whileFolding(folded);
    await expectThePast(folded);
    die(folded);
    const read = await openOutline();
    await byReading(read);
    await expectThePast(read);
    die(read);
  });

  it.each([
    ['deleted', () => rmSync(path())],
    ['corrupt', () => (withoutWal(), writeFileSync(path(), 'no database'))],
    ['cut off', () => (withoutWal(), truncateSync(path(), 8_192))],
    ['of another version', () => changeAbout((about) => ({ ...about, version: 0 }))],
    ['of another log', () => changeAbout((about) => ({ ...about, origin: 'another' }))],
  ])('is drawn anew where the file is %s', async (_, spoil) => {
    const before = await openOutline();
    await byReading(before);
    die(before);
    spoil();
    const outline = await openOutline();
    expect(outline.upTo(head)).toBeUndefined();
    await byReading(outline);
    await expectThePast(outline);
    die(outline);
  });

  it('is read from the log where the outline cannot be read any more', async () => {
    const outline = await openOutline();
    await byReading(outline);
    const past = pastOf();
    past.use(new MemoryPast(), outline);
    die(outline);
    expect(entriesOf(await past.tableAt('pods', head))).toEqual(entriesOf(await pastOf().tableAt('pods', head)));
  });

  it('goes on from checkpoints that are not all made yet', async () => {
    const outline = await openOutline();
    await byReading(outline);
    const storage = new MemoryPast();
    await record(storage);
    storage.dropAfter(head * 0.4);
    expect(storage.last()!.position).toBeGreaterThan(0);
    await expectThePast(outline, storage);
    die(outline);
  });

  it('waits for the reading of the log rather than reading all of it again', async () => {
    const outline = await openOutline();
    const past = pastOf();
    past.use(new MemoryPast(), outline);
    const [reading, table] = [byReading(outline), past.tableAt('pods', head)];
    expect(entriesOf(await table)).toEqual(entriesOf(await pastOf().tableAt('pods', head)));
    await reading;
    die(outline);
  });

  it('knows where an event is by its id', async () => {
    const outline = await openOutline();
    await byReading(outline);
    const events: { id: string; position: number }[] = [];
    for await (const page of log.readAll()) events.push(...page);
    for (let i = 0; i < events.length; i += 97) expect(await outline.positionOf(events[i]!.id)).toBe(events[i]!.position);
    const last = events[events.length - 1]!;
    expect(await outline.positionOf(last.id)).toBe(last.position);
    expect(await outline.positionOf('00000000-0000-5000-8000-000000000000')).toBeUndefined();
    die(outline);
  });

  it('reads of the log what an object lived, and what was written since a checkpoint', async () => {
    let read = 0;
    const counted = new Proxy(log, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'readAll' && name !== 'readStream') return typeof value === 'function' ? (value as () => void).bind(target) : value;
        return async function* (...args: never[]) {
          for await (const page of (value as (...args: never[]) => AsyncIterable<unknown[]>).apply(target, args)) {
            read += page.length;
            yield page;
          }
        };
      },
    });
    const outline = await openOutline('o', counted);
    await byReading(outline);
    const past = new Past({ log: counted, cluster: 'local', reports: reportContext({}) });
    past.use(new MemoryPast(), outline);
    read = 0;
    const nodes = await past.tableAt('nodes', Math.floor(head * 0.6));
    // A page as the log gives it, and of each node what was written since it was last written down.
    expect(read).toBeLessThanOrEqual(500 + nodes.keys().length * 96);
    die(outline);
  });
});

function changeAbout(change: (about: object) => object): void {
  const db = new DatabaseSync(join(folder, 'snapshots', 'outline.sqlite'));
  const { value } = db.prepare('SELECT value FROM about').get() as { value: string };
  db.prepare('UPDATE about SET value = ?').run(JSON.stringify(change(JSON.parse(value) as object)));
  db.close();
}
