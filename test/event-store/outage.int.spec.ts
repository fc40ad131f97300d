import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEventStoreDb } from '#libs/event-log';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startEventStoreServer, type EventStoreServer } from '#apps/event-store';
import { Wire } from '../../apps/event-store/src/testing/wire';
import { ApiUnderTest } from '../api-under-test.fixture';

const configMaps = '/api/v1/namespaces/default/configmaps';
/** Stands for the ten seconds that a write may take. */
const giveUpAfterMs = 1_500;

describe('an API server whose event store is away', () => {
  let folder: string;
  let store: EventStoreServer;
  let wire: Wire;
  let api: ApiUnderTest;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kubereel-outage-'));
    store = await startEventStoreServer({ folder });
    wire = new Wire(store.port);
    await wire.open();
    api = await ApiUnderTest.start(connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs }));
  });
  afterEach(async () => {
    await api.close();
    await wire.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const create = (name: string): ReturnType<ApiUnderTest['send']> =>
    api.send({
      method: 'POST',
      path: configMaps,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name } }),
    });
  const read = (path: string): ReturnType<ApiUnderTest['send']> => api.send({ method: 'GET', path });
  const names = async (): Promise<string[]> =>
    JSON.parse((await read(configMaps)).body).items.map((item: { metadata: { name: string } }) => item.metadata.name);
  const ready = (): Promise<void> => vi.waitFor(async () => expect((await read('/readyz/etcd')).body).toBe('ok'), { timeout: 15_000 });

  it('says at once that it is not ready and which check says so; reads go on', async () => {
    expect((await create('before')).status).toBe(201);
    expect(await read('/readyz')).toMatchObject({ status: 200, body: 'ok' });
    await wire.close();
    const { status, body } = await read('/readyz');
    expect(status).toBe(500);
    expect(body).toContain('[-]etcd failed: reason withheld\n');
    expect(body).toContain('readyz check failed');
    expect((await read('/livez?verbose')).body).toContain('[-]etcd failed');
    expect((await read('/readyz/etcd')).body).toMatch(/the event store cannot be reached: \w/);
    expect((await read('/readyz?exclude=etcd&exclude=etcd-readiness')).status).toBe(200);
    expect(await names()).toEqual(['before']);
    await wire.open();
    await ready();
  });

  it('refuses writes in their time with the reason, writes none of them later, and goes on when the store is back', async () => {
    await wire.close();
    const refused = await Promise.all(['a', 'b', 'c'].map(create));
    for (const { status, body } of refused) {
      expect(status).toBe(504);
      expect(JSON.parse(body)).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Timeout', code: 504 });
      expect(JSON.parse(body).message).toMatch(
        /^Timeout: request did not complete within requested timeout - .*(ECONNREFUSED|cannot be reached)/,
      );
    }
    await wire.open();
    await ready();
    expect((await create('after')).status).toBe(201);
    expect(await names()).toEqual(['after']);
  });

  it('writes nothing for a client that has gone', async () => {
    const patient = connectEventStoreDb({ connectionString: wire.connectionString, giveUpAfterMs: 30_000 });
    const other = await ApiUnderTest.start(patient);
    await wire.close();
    const gone = other.send({
      method: 'POST',
      path: configMaps,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'gone' } }),
    });
    await vi.waitFor(async () => expect(await patient.check()).toMatchObject({ available: false }));
    other.hangUp();
    await expect(gone).rejects.toThrow();
    await wire.open();
    await ready();
    expect((await create('after')).status).toBe(201);
    expect(await names()).toEqual(['after']);
    await other.close();
  });

  it('is there again after an outage longer than any patience', async () => {
    for (let outage = 0; outage < 2; outage++) {
      await wire.close();
      // Each of these waits out the whole time of a write.
      for (let i = 0; i < 2; i++) expect((await create(`lost-${outage}-${i}`)).status).toBe(504);
      await wire.open();
      await ready();
      expect((await create(`kept-${outage}`)).status).toBe(201);
    }
    expect(await names()).toEqual(['kept-0', 'kept-1']);
  });
});
