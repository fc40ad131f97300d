import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chanceOf, type JsonObject } from '#libs/kernel';
import { MemoryPast } from './memory-storage';
import { openPast } from './open-past';
import { PastRecorder } from './past-recorder';
import { directoryAt, type PastStorage } from './storage';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kubereel-past-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const origin = { position: 16, id: 'first' };
const inFile = (
  options: { cluster?: string; originId?: string; eventAt?: (position: number) => string | undefined } = {},
): Promise<PastStorage> =>
  openPast({
    folder,
    cluster: options.cluster ?? 'local',
    origin: { position: 16, id: options.originId ?? origin.id },
    eventAt: (position) => Promise.resolve((options.eventAt ?? ((at) => `e-${at}`))(position)),
  });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const fail = (error: Error): void => {
  throw error;
};

/** Random changes of two tables, and what they were at each checkpoint. */
async function recorded(storage: PastStorage, steps: number, seed = 'a') {
  const chance = chanceOf(seed, 'storage');
  const recorder = new PastRecorder(storage, turn, fail, 20);
  const now: Record<string, Map<string, JsonObject>> = { pods: new Map(), nodes: new Map() };
  const then: { position: number; tables: Record<string, [string, JsonObject][]> }[] = [];
  for (let step = 1; step <= steps; step++) {
    const resource = chance.index(4, `${step}/resource`) === 0 ? 'nodes' : 'pods';
    const key = `k-${chance.index(40, `${step}/key`)}`;
    const content = chance.index(3, `${step}/gone`) === 0 ? undefined : { step };
    recorder.note(resource, key, content);
    if (content) now[resource]!.set(key, content);
    else now[resource]!.delete(key);
    const before = storage.last()?.position ?? 0;
    recorder.passed({ position: step * 16, time: step * 1_000, eventId: `e-${step * 16}` }, 1);
    if (step % 20 === 0)
      then.push({ position: step * 16, tables: Object.fromEntries(Object.entries(now).map(([name, table]) => [name, [...table].sort()])) });
    // Everything noted up to a checkpoint belongs to it, whenever it is written.
    if (step % 20 === 0) await recorder.flush({ position: step * 16, time: step * 1_000, eventId: `e-${step * 16}` });
    expect(storage.last()?.position ?? 0).toBeGreaterThanOrEqual(before);
  }
  await recorder.close();
  return then;
}

const tableAt = (storage: PastStorage, resource: string, position: number): [string, JsonObject][] =>
  [...directoryAt(storage, resource, position)].map(([key, number]): [string, JsonObject] => [key, storage.content(number)]).sort();

describe.each([
  ['in memory', () => Promise.resolve(new MemoryPast() as PastStorage)],
  ['in a file', () => inFile()],
])('checkpoints %s', (_, open) => {
  it('give every table as it was at each of them', async () => {
    const storage = await open();
    const then = await recorded(storage, 2_000);
    expect(then).toHaveLength(100);
    for (const { position, tables } of then) {
      expect(storage.upTo(position + 15)?.position).toBe(position);
      expect(storage.upToTime((position / 16) * 1_000 + 999)?.position).toBe(position);
      for (const resource of ['pods', 'nodes']) expect(tableAt(storage, resource, position)).toEqual(tables[resource]);
    }
    expect(storage.upTo(15)).toBeUndefined();
    expect(storage.parts('pods', then[99]!.position).length).toBeLessThan(100);
    storage.close();
  });

  it('lets go of the newest of them, and goes on from the one before', async () => {
    const storage = await open();
    const [first, second] = await recorded(storage, 60);
    storage.dropAfter(second!.position);
    expect(storage.last()?.position).toBe(second!.position);
    expect(tableAt(storage, 'pods', 10_000)).toEqual(second!.tables.pods);
    expect(tableAt(storage, 'pods', first!.position)).toEqual(first!.tables.pods);
    storage.close();
  });
});

describe('checkpoints in memory', () => {
  it('go with the history that is let go of, and with them what nothing else refers to', async () => {
    const storage = new MemoryPast();
    const then = await recorded(storage, 2_000);
    const kept = then[90]!;
    storage.dropBefore(kept.position - 5);
    expect(storage.upTo(kept.position - 1)).toBeUndefined();
    for (const { position, tables } of then.slice(90)) expect(tableAt(storage, 'pods', position)).toEqual(tables.pods);
    const size = (storage as unknown as { kept: Map<number, unknown> }).kept.size;
    expect(size).toBeLessThan(300);
  });
});

describe('the file of checkpoints', () => {
  it('goes on where it was closed, is its owner’s alone, and drops what was half written', async () => {
    const storage = await inFile();
    const then = await recorded(storage, 100);
    storage.transaction(() => void storage.add({ left: 'behind' }));
    storage.close();
    const again = await inFile();
    for (const { position, tables } of then) expect(tableAt(again, 'pods', position)).toEqual(tables.pods);
    expect(again.add({ next: true })).toBeLessThanOrEqual(101);
    again.close();
    for (const file of readdirSync(join(folder, 'snapshots'))) expect(statSync(join(folder, 'snapshots', file)).mode & 0o077).toBe(0);
  });

  it('is not used for another log or another cluster, nor where it cannot be read', async () => {
    for (const other of [{ originId: 'another' }, { cluster: 'other' }]) {
      const storage = await inFile();
      await recorded(storage, 40);
      storage.close();
      const foreign = await inFile(other);
      expect(foreign.last()).toBeUndefined();
      foreign.close();
    }
    writeFileSync(join(folder, 'snapshots', 'past.sqlite'), 'no database');
    const anew = await inFile();
    expect(anew.last()).toBeUndefined();
    await recorded(anew, 40);
    expect(anew.last()).toBeDefined();
    anew.close();
  });

  it('drops what is later than the log: an older copy of it that went on otherwise', async () => {
    const storage = await inFile();
    const then = await recorded(storage, 100);
    storage.close();
    const shorter = await inFile({
      eventAt: (position) => (position <= then[2]!.position ? `e-${position}` : position % 32 === 0 ? 'other' : undefined),
    });
    expect(shorter.last()?.position).toBe(then[2]!.position);
    shorter.close();
  });
});
