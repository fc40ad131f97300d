import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '#apps/event-store';
import { connectEventStoreDb, createMemoryLog, openEmbeddedLog, type EventLog, type EventToAppend } from '#libs/event-log';

export interface Measurement {
  name: string;
  value: number;
  unit: string;
  /** What was done to get the figure. */
  load: string;
}

interface Subject {
  name: string;
  open(folder: string): Promise<{ log: EventLog; close(): Promise<void> }>;
  /** Events in batches; those one by one are a fraction of it. */
  events: number;
  singles: number;
}

const BATCH = 100;
const STREAMS = 100;

async function local(log: EventLog | Promise<EventLog>): Promise<{ log: EventLog; close(): Promise<void> }> {
  const opened = await log;
  return { log: opened, close: () => opened.close() };
}

async function overServer(): Promise<{ log: EventLog; close(): Promise<void> }> {
  const server = await startEventStoreServer();
  const log = connectEventStoreDb({ connectionString: server.connectionString });
  return {
    log,
    async close() {
      await log.close();
      await server.close();
    },
  };
}

/** The server as `kubereel event-store` runs it, on disk; its client in this process. */
async function overServerApart(folder: string): Promise<{ log: EventLog; close(): Promise<void> }> {
  const script = join(__dirname, '..', 'dist', 'apps', 'event-store', 'src', 'main.js');
  const server = fork(script, ['--port', '0', '--data', folder], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const connectionString = await new Promise<string>((resolve, reject) => {
    server.once('message', (message: { connectionString: string }) => resolve(message.connectionString));
    server.once('exit', () => reject(new Error('the event store did not start')));
  });
  const log = connectEventStoreDb({ connectionString });
  return {
    log,
    async close() {
      await log.close();
      const gone = new Promise((resolve) => server.once('exit', resolve));
      server.disconnect();
      await gone;
    },
  };
}

const subjects: Subject[] = [
  { name: 'memory', open: () => local(createMemoryLog()), events: 200_000, singles: 50_000 },
  { name: 'embedded', open: (folder) => local(openEmbeddedLog({ folder })), events: 200_000, singles: 20_000 },
  {
    name: 'embedded, durability full',
    open: (folder) => local(openEmbeddedLog({ folder, durability: 'full' })),
    events: 50_000,
    singles: 2_000,
  },
  { name: 'eventstoredb client, own server in this process', open: overServer, events: 30_000, singles: 2_000 },
  { name: 'eventstoredb client, own server in a process of its own', open: overServerApart, events: 60_000, singles: 3_000 },
];

/** About 600 bytes of JSON, as an event of a pod has. */
function event(): EventToAppend {
  return {
    id: randomUUID(),
    type: 'PodScheduled',
    data: { node: 'node-1', text: 'x'.repeat(400), conditions: [1, 2, 3] },
    metadata: { $correlationId: 'c', text: 'y'.repeat(120) },
  };
}

async function perSecond(count: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round((count * 1000) / (performance.now() - start));
}

async function measure({ name, open, events, singles }: Subject): Promise<Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-bench-'));
  const { log, close } = await open(folder);
  try {
    const batches = Array.from({ length: events / BATCH }, () => Array.from({ length: BATCH }, event));
    const batched = await perSecond(events, async () => {
      for (const [i, batch] of batches.entries()) await log.append(`bench-${i % STREAMS}`, batch, 'any');
    });
    const alone = Array.from({ length: singles }, () => [event()]);
    const single = await perSecond(singles, async () => {
      for (const [i, one] of alone.entries()) await log.append(`bench-${i % STREAMS}`, one, 'any');
    });
    const together = Array.from({ length: singles }, () => [event()]);
    const parallel = await perSecond(singles, () => Promise.all(together.map((one, i) => log.append(`bench-${i % STREAMS}`, one, 'any'))));
    let count = 0;
    const stored = events + 2 * singles;
    const read = await perSecond(stored, async () => {
      for await (const page of log.readAll()) count += page.length;
    });
    if (count !== stored) throw new Error(`${name}: read ${count} events of ${stored}`);
    const load = `events of 600 B over ${STREAMS} streams`;
    return [
      {
        name: `${name}: append, ${BATCH} events at a time, one append after the other`,
        value: batched,
        unit: 'events/s',
        load: `${events} ${load}`,
      },
      {
        name: `${name}: append, 1 event at a time, one append after the other`,
        value: single,
        unit: 'events/s',
        load: `${singles} ${load}`,
      },
      {
        name: `${name}: append, 1 event at a time, all handed over together`,
        value: parallel,
        unit: 'events/s',
        load: `${singles} ${load}`,
      },
      { name: `${name}: read all`, value: read, unit: 'events/s', load: `${stored} ${load}` },
    ];
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Appends and reads per second of every adapter of the event log. */
export async function benchEventLog(): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const subject of subjects) measurements.push(...(await measure(subject)));
  return measurements;
}
