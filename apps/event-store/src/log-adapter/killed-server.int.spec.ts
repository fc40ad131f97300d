import { spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEventStoreDb } from '#libs/event-log';
import { collect, event } from '../../../../libs/event-log/src/contract/contract-target';
import { Recorder } from '../../../../libs/event-log/src/contract/recorder';

const repository = join(__dirname, '..', '..', '..', '..');
const APPENDS = 400;
const KILLS = 5;

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

describe('an event store that is killed and started again', () => {
  const root = mkdtempSync(join(tmpdir(), 'kubereel-killed-'));
  const cache = join(repository, 'node_modules', '.cache', `kubereel-killed-${process.pid}`);
  const program = join(cache, 'src', 'main.cjs');
  let child: ChildProcess | undefined;
  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    cpSync(join(__dirname, '..', 'proto'), join(cache, 'proto'), { recursive: true });
    buildSync({
      entryPoints: [join(__dirname, '..', 'main.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['source'],
      packages: 'external',
      external: ['@*', 'reflect-metadata'],
      alias: {
        '#libs/event-log': join(repository, 'libs/event-log/src/index.ts'),
        '#libs/kernel': join(repository, 'libs/kernel/src/index.ts'),
      },
      tsconfig: join(repository, 'tsconfig.json'),
    });
  });
  afterAll(() => {
    child?.kill('SIGKILL');
    for (const folder of [root, cache]) rmSync(folder, { recursive: true, force: true });
  });

  const start = (port: number): ChildProcess =>
    spawn(process.execPath, [program, '--port', String(port), '--data', join(root, 'log')], { stdio: ['ignore', 'ignore', 'inherit'] });

  /** Kills the server, mostly with appends under way, and starts it again at once. */
  async function killed(port: number): Promise<void> {
    const old = child!;
    const gone = new Promise((resolve) => old.once('close', resolve));
    old.kill('SIGKILL');
    await gone;
    child = start(port);
  }

  it('its clients lose nothing, double nothing, and see everything in order', async () => {
    const port = await freePort();
    child = start(port);
    const log = connectEventStoreDb({ connectionString: `esdb://127.0.0.1:${port}?tls=false` });
    const recorder = new Recorder().on(log, { after: 'start', filter: { streamPrefixes: ['killed'] } });
    let kills = 0;
    let killing = Promise.resolve();
    const append = async (stream: string, from: number): Promise<void> => {
      for (let i = from; i < APPENDS; i += 4) {
        // Two writers say where they stand, two do not: their retries are known by their ids alone.
        const expected = from % 2 === 0 ? (i === from ? 'no_stream' : (i - from) / 4 - 1) : 'any';
        await log.append(stream, [event('Written', { i })], expected);
        if (i % Math.floor(APPENDS / KILLS) === 17 && kills < KILLS) {
          kills += 1;
          killing = killing.then(() => killed(port));
        }
      }
    };
    await Promise.all([0, 1, 2, 3].map((from) => append(`killed-${from}`, from)));
    await killing;
    await recorder.count(APPENDS);
    const all = await collect(log.readAll({ filter: { streamPrefixes: ['killed'] } }));
    expect(all.map(({ data }) => data['i']).sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: APPENDS }, (_, i) => i));
    expect(recorder.ids).toEqual(all.map(({ id }) => id));
    for (const from of [0, 1, 2, 3]) {
      const stream = all.filter((each) => each.stream === `killed-${from}`);
      expect(stream.map(({ data }) => data['i'])).toEqual(Array.from({ length: APPENDS / 4 }, (_, i) => i * 4 + from));
    }
    expect(kills).toBe(KILLS);
    await recorder.close();
    await log.close();
  });

  /** What each kind of call is told when the server is killed while its client waits for an answer. */
  async function endings(port: number): Promise<Record<string, string>> {
    const { EventStoreDBClient, jsonEvent } = await import('@eventstore/db-client');
    const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${port}?tls=false`);
    const one = () => jsonEvent({ type: 'Waited', data: { text: 'x'.repeat(1000) } });
    await client.appendToStream('waited', Array.from({ length: 800 }, one));
    const ending = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'done',
        (error: unknown) => (error as { type: string }).type,
      );
    const subscribed = client.subscribeToStream('waited');
    const subscription = new Promise<string>((resolve) => {
      subscribed.on('error', (error: unknown) => resolve((error as { type: string }).type));
    });
    await new Promise((resolve) => subscribed.once('data', resolve));
    // From now on it takes what is sent and answers nothing.
    child!.kill('SIGSTOP');
    const read = async (): Promise<void> => {
      for await (const _event of client.readStream('waited'));
    };
    const calls = [
      ending(read()),
      ending(client.appendToStream('waited', one())),
      ending(client.appendToStream('waited', one(), { credentials: { username: 'a', password: 'b' } })),
      ending(client.deleteStream('waited')),
      ending(client.tombstoneStream('waited')),
      subscription,
    ];
    child!.kill('SIGKILL');
    const [reading, batch, append, deletion, tombstone, subscribing] = await Promise.all(calls);
    await client.dispose();
    return { reading, batch, append, deletion, tombstone, subscribing } as Record<string, string>;
  }

  it('killed while its client waits: every call ends as unavailable, none hangs', async () => {
    const port = await freePort();
    await killed(port);
    const log = connectEventStoreDb({ connectionString: `esdb://127.0.0.1:${port}?tls=false` });
    // It is there when it has answered.
    await log.append('there', [event('Written', {})], 'any');
    await log.close();
    const unavailable = { reading: 'unavailable', batch: 'unavailable', append: 'unavailable', deletion: 'unavailable' };
    expect(await endings(port)).toEqual({ ...unavailable, tombstone: 'unavailable', subscribing: 'unavailable' });
  });
});
