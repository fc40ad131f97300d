import { spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, event, events, failure } from '../contract/contract-target';
import { LogLockedError } from '../errors';
import type { EventLog, RecordedEvent } from '../port';
import { openEmbeddedLog } from './embedded-log';

const repository = join(__dirname, '..', '..', '..', '..');

interface Acknowledged {
  append: string;
  stream: string;
  count: number;
  revision: number;
  position: number;
}

/** A generator of its own, so that a failing round can be had again. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Streams dense, positions rising, every append whole and in one piece. Answers the events by append. */
function expectWhole(all: readonly RecordedEvent[]): Map<string, RecordedEvent[]> {
  const appends = new Map<string, RecordedEvent[]>();
  const heads = new Map<string, number>();
  const problems: RecordedEvent[] = [];
  let last: RecordedEvent | undefined;
  for (const recorded of all) {
    const { stream, revision, position, data } = recorded;
    const append = data['append'] as string;
    const written = appends.get(append) ?? [];
    appends.set(append, written);
    if (position < (last?.position ?? 0) + 16 || revision !== (heads.get(stream) ?? -1) + 1) problems.push(recorded);
    if (data['i'] !== written.length || (written.length > 0 && written[written.length - 1] !== last)) problems.push(recorded);
    heads.set(stream, revision);
    written.push(recorded);
    last = recorded;
  }
  for (const written of appends.values()) if (written.length !== written[0]!.data['count']) problems.push(written[0]!);
  expect(problems).toEqual([]);
  return appends;
}

describe('killed while it writes', () => {
  const root = mkdtempSync(join(tmpdir(), 'kubereel-crash-'));
  // Beside the modules, so that the program finds the engine.
  const cache = join(repository, 'node_modules', '.cache', `kubereel-crash-${process.pid}`);
  const program = join(cache, 'crash-writer.cjs');
  const children = new Set<ChildProcess>();
  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    buildSync({
      entryPoints: [join(repository, 'libs/event-log/src/embedded/crash-writer.ts')],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['source'],
      external: ['@photostructure/sqlite'],
    });
  });
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    for (const folder of [root, cache]) rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a writer until it has acknowledged so many appends, kills it, and gives all it had acknowledged by then. */
  async function killedAfter(count: number, folder: string, durability: string, seed: number): Promise<Acknowledged[]> {
    return (await ended(folder, durability, seed, { killedAfter: count })).acknowledged;
  }

  /** Runs a writer until it ends: killed when it has acknowledged so many appends, or by itself. */
  async function ended(folder: string, durability: string, seed: number, end: { killedAfter?: number; endsAfter?: number }) {
    const own = end.endsAfter === undefined ? [] : [String(end.endsAfter)];
    const child = spawn(process.execPath, [program, folder, durability, String(seed), ...own], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    let output = '';
    let lines = 0;
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      lines += chunk.split('\n').length - 1;
      if (lines > (end.killedAfter ?? Infinity)) child.kill('SIGKILL');
    });
    const outcome = await new Promise<number | string>((resolve) => child.once('close', (code, signal) => resolve(code ?? String(signal))));
    children.delete(child);
    const acknowledged = output.split('\n').slice(1, -1);
    return { outcome, acknowledged: acknowledged.map((line) => JSON.parse(line) as Acknowledged) };
  }

  /** Which of the appends are not in the log as they were acknowledged. */
  async function lostOf(acknowledged: readonly Acknowledged[], folder: string, durability: 'default' | 'full'): Promise<Acknowledged[]> {
    const log = await openEmbeddedLog({ folder, durability });
    const written = expectWhole(await collect(log.readAll()));
    await log.close();
    return acknowledged.filter(({ append, stream, count, revision, position }) => {
      const last = written.get(append)?.[count - 1];
      return last?.stream !== stream || last.revision !== revision || last.position !== position;
    });
  }

  it.each([
    ['default', 8],
    ['full', 4],
  ] as const)('durability %s: loses nothing acknowledged, tears nothing, in %i rounds', async (durability, rounds) => {
    const seed = Number(process.env.KUBEREEL_SEED ?? 20260);
    const random = generator(seed);
    const folder = join(root, durability);
    const acknowledged: Acknowledged[] = [];
    for (let round = 0; round < rounds; round++) {
      const count = 1 + random(60) * random(12);
      acknowledged.push(...(await killedAfter(count, folder, durability, random(2 ** 31))));
      expect(await lostOf(acknowledged, folder, durability), `seed ${seed}, round ${round}`).toEqual([]);
    }
    expect(acknowledged.length).toBeGreaterThan(rounds);
  });

  it('loses nothing when it is killed while a thread moves what it wrote into the file', async () => {
    const folder = join(root, 'moving');
    for (const [seed, count] of [900, 1_700, 2_900].entries()) {
      const acknowledged = await killedAfter(count, folder, 'default', seed);
      expect(await lostOf(acknowledged, folder, 'default')).toEqual([]);
    }
  });

  it('may end without closing the log while a thread moves what it wrote into the file', async () => {
    const folder = join(root, 'ending');
    for (const [seed, count] of [900, 1_300, 1_700, 2_900].entries()) {
      const { outcome, acknowledged } = await ended(folder, 'default', seed, { endsAfter: count });
      expect(outcome).toBe(0);
      expect(acknowledged).toHaveLength(count);
      expect(await lostOf(acknowledged, folder, 'default')).toEqual([]);
    }
  });

  it('a living holder keeps its folder, a dead one does not', async () => {
    const folder = join(root, 'held');
    const child = spawn(process.execPath, [program, folder, 'default', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const refused = await failure(openEmbeddedLog({ folder }));
    expect(refused).toBeInstanceOf(LogLockedError);
    expect((refused as LogLockedError).holderPid).toBe(child.pid);
    child.stdout.resume();
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    const log = await openEmbeddedLog({ folder });
    expectWhole(await collect(log.readAll()));
    await log.close();
  });
});

describe('a torn tail', () => {
  const root = mkdtempSync(join(tmpdir(), 'kubereel-torn-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  /** A log as a crash leaves it: the file and its write-ahead log, not closed. */
  async function crashed(): Promise<{ folder: string; ids: string[]; close(): Promise<void> }> {
    const folder = join(root, 'original');
    const log: EventLog = await openEmbeddedLog({ folder });
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      const append = `append-${i}`;
      const batch = events(1 + (i % 4), (j) => ({ append, i: j, count: 1 + (i % 4), text: 'y'.repeat(i * 40) }));
      await log.append(`torn-${i % 3}`, batch, 'any');
      ids.push(append);
    }
    return { folder, ids, close: () => log.close() };
  }

  it('whatever is cut off or spoilt at the end, the rest is whole appends, and writing goes on', async () => {
    const { folder, ids, close } = await crashed();
    const random = generator(4711);
    const length = statSync(join(folder, 'log.sqlite-wal')).size;
    const kept: number[] = [];
    const damages: [string, (wal: string) => void][] = [['nothing', () => undefined]];
    damages.push(['garbage after the end', (wal) => appendFileSync(wal, Buffer.from(Array.from({ length: 5000 }, () => random(256))))]);
    for (let i = 0; i < 12; i++) damages.push([`cut ${i}`, (wal) => truncateSync(wal, 32 + random(length - 32))]);
    for (let i = 0; i < 12; i++) damages.push([`spoilt ${i}`, (wal) => spoil(wal, 32 + random(length - 32), random)]);
    damages.push(['all cut off', (wal) => truncateSync(wal, 0)]);
    for (const [name, damage] of damages) {
      const copy = join(root, name.replaceAll(' ', '-'));
      mkdirSync(copy);
      for (const file of ['log.sqlite', 'log.sqlite-wal']) copyFileSync(join(folder, file), join(copy, file));
      damage(join(copy, 'log.sqlite-wal'));
      const log = await openEmbeddedLog({ folder: copy });
      const written = [...expectWhole(await collect(log.readAll())).keys()];
      expect(written, name).toEqual(ids.slice(0, written.length));
      kept.push(written.length);
      const head = (await collect(log.readStream('torn-0', { direction: 'backwards', limit: 1 })))[0]?.revision;
      expect((await log.append('torn-0', [event()], head ?? 'no_stream')).revision).toBe((head ?? -1) + 1);
      await log.close();
    }
    await close();
    expect(kept.slice(0, 2)).toEqual([60, 60]);
    expect(new Set(kept).size).toBeGreaterThan(8);
  });

  function spoil(wal: string, from: number, random: (below: number) => number): void {
    const bytes = readFileSync(wal);
    for (let i = from; i < Math.min(bytes.length, from + 200); i++) bytes[i] = random(256);
    writeFileSync(wal, bytes);
  }
});
