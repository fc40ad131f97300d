import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog, type EventLog } from '#libs/event-log';
import { MemoryPast } from '#libs/past';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

const configMaps = '/api/v1/namespaces/default/configmaps';
const count = 2_000;
const turns = async (turns = 50): Promise<void> => {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
};
const fail = (error: Error): void => {
  throw error;
};

let api: ApiFixture;
let read: number;
/** Version of `c-0`, `c-1`, …: each changed twice. */
let versions: string[];

/** The same log, and how many of its events have been read. */
function counted(log: EventLog): EventLog {
  return new Proxy(log, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name !== 'readAll') return typeof value === 'function' ? (value as () => void).bind(target) : value;
      return async function* (options: never) {
        for await (const page of target.readAll(options)) {
          read += page.length;
          yield page;
        }
      };
    },
  });
}

beforeEach(async () => {
  const log = createMemoryLog();
  api = await ApiFixture.start(log, fixtureStart, 4);
  const storage = new MemoryPast();
  await api.live.keepPast({ checkpoints: storage }, fail, 100);
  versions = [];
  for (let i = 0; i < count; i++) {
    versions.push((await api.configMap(`c-${i}`)).json.metadata.resourceVersion);
    if (i % 2 === 0) await api.request('DELETE', `${configMaps}/c-${i}`);
    if (i % 100 === 99) await turns(5);
  }
  await api.close();
  // A MemoryPast is emptied by closing it: another one is filled by reading the log, as after a restart without its file.
  read = 0;
  api = await ApiFixture.start(counted(log), fixtureStart + 86_400_000, 4);
  await api.live.keepPast({ checkpoints: new MemoryPast() }, fail, 100);
  await turns();
  read = 0;
});
afterEach(() => api.close());

const at = (index: number): string => versions[index] as string;

describe('a past that is kept in checkpoints', () => {
  it('is read from the checkpoint before the moment, not from the first event', async () => {
    const { json } = await api.request('GET', `/at/${at(1_500)}${configMaps}`);
    expect(json.items).toHaveLength(751);
    expect(read).toBeLessThan(1_200);
    read = 0;
    expect((await api.request('GET', `/at/${at(1_500)}${configMaps}/c-1499`)).status).toBe(200);
    expect(read).toBeLessThan(100);
  });

  it('lets a watch begin at any version, in the order and with the versions of then', async () => {
    const client = await api.watch(`${configMaps}?watch=1&resourceVersion=${at(10)}`);
    while (client.frames.length < count + count / 2 - 16) await turns(10);
    const names = client.takeNames();
    expect(names.slice(0, 5)).toEqual(['DELETED c-10', 'ADDED c-11', 'ADDED c-12', 'DELETED c-12', 'ADDED c-13']);
    expect(names[names.length - 1]).toBe(`ADDED c-${count - 1}`);
    await api.configMap('live');
    expect(client.takeNames()).toEqual(['ADDED live']);
    client.close();
  });

  it('reads no further than a slow client takes, and misses nothing that comes meanwhile', async () => {
    const client = await api.watch(`${configMaps}?watch=1&resourceVersion=${at(10)}&allowWatchBookmarks=1`);
    client.waitingBytes = 10 * 1024 * 1024;
    await turns(300);
    const taken = client.frames.length;
    expect(taken).toBeLessThan(3_000);
    const seen = read;
    await api.configMap('live');
    await turns(300);
    expect(read - seen).toBeLessThanOrEqual(500);
    expect(client.frames.length).toBe(taken);
    client.drain();
    while (!client.frames.some(({ object }) => object.metadata.name === 'live')) await turns(10);
    const names = client.takeNames();
    expect(names).toHaveLength(count + count / 2 - 16 + 1);
    expect(new Set(names).size).toBe(names.length);
    client.close();
  });

  it('stops reading for a client that has gone', async () => {
    const client = await api.watch(`${configMaps}?watch=1&resourceVersion=${at(10)}`);
    client.close();
    const seen = read;
    await turns(300);
    expect(read - seen).toBeLessThanOrEqual(500);
  });
});
