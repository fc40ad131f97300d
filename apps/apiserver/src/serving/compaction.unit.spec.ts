import type { CompactionOptions } from '#libs/app-shell';
import { createMemoryLog } from '#libs/event-log';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

const collection = '/api/v1/namespaces/default/configmaps';
let api: ApiFixture;
afterEach(() => api.close());

const start = async (options?: CompactionOptions): Promise<void> => {
  api = await ApiFixture.start(createMemoryLog(), fixtureStart, undefined, options);
};
const created = async (name: string): Promise<number> => Number((await api.configMap(name)).json.metadata.resourceVersion);
const exactly = (version: number) => api.request('GET', `${collection}?resourceVersion=${version}&resourceVersionMatch=Exact`);

describe('versions', () => {
  it('never expire of themselves', async () => {
    await start();
    const first = await created('a');
    for (let i = 0; i < 50; i++) await created(`b${i}`);
    expect((await exactly(first)).json.items).toHaveLength(1);
  });

  it('expire with so many events after them: lists and tokens are 410, watches an ERROR event, the newest state stays', async () => {
    await start({ events: 3 });
    const first = await created('a');
    await created('b');
    const token = (await api.request('GET', `${collection}?limit=1`)).json.metadata.continue;
    for (const name of ['c', 'd', 'e', 'f']) await created(name);
    expect(await exactly(first)).toMatchObject({ status: 410, json: { reason: 'Expired' } });
    const page = await api.request('GET', `${collection}?limit=1&continue=${token}`);
    expect(page).toMatchObject({ status: 410, json: { metadata: { continue: expect.any(String) } } });
    const rest = await api.request('GET', `${collection}?continue=${page.json.metadata.continue}`);
    expect(rest.json.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['b', 'c', 'd', 'e', 'f']);
    const watch = await api.watch(`${collection}?watch=1&resourceVersion=${first}`);
    expect([watch.frames[0]?.object, watch.ended]).toMatchObject([{ code: 410, reason: 'Expired' }, true]);
    expect((await api.request('GET', `${collection}?resourceVersion=${first}`)).status).toBe(200);
    const positions: number[] = [];
    for await (const page of api.log.readAll()) positions.push(...page.map(({ position }) => position));
    const [oldest = 0] = positions.slice(-4);
    expect([(await exactly(oldest)).status, (await exactly(oldest - 1)).status]).toEqual([200, 410]);
    const resumed = await ApiFixture.start(api.log, fixtureStart + 1, undefined, { events: 1_000_000 });
    expect((await resumed.request('GET', `${collection}?resourceVersion=${first}&resourceVersionMatch=Exact`)).status).toBe(200);
    await resumed.close();
    expect((await api.request('GET', `/at/${first}${collection}`)).json.items).toHaveLength(1);
  });

  it('expire by what came before the process, too', async () => {
    await start();
    const versions = [];
    for (const name of ['a', 'b', 'c', 'd']) versions.push(await created(name));
    const before = api;
    api = await ApiFixture.start(before.log, fixtureStart + 86_400_000, undefined, { events: 0 });
    await before.close();
    const statuses = await Promise.all(versions.map(async (version) => (await exactly(version)).status));
    expect(statuses.slice(0, 3)).toEqual([410, 410, 410]);
    const last = await created('e');
    expect([(await exactly(last)).status, (await exactly(versions[3] as number)).status]).toEqual([200, 410]);
  });

  it('expire after a time of the cluster', async () => {
    await start({ ageMs: 60_000 });
    const first = await created('a');
    api.clock.advanceTo(api.clock.now() + 40_000);
    const second = await created('b');
    expect((await exactly(first)).status).toBe(200);
    api.clock.advanceTo(api.clock.now() + 40_000);
    await created('c');
    expect([(await exactly(first - 1)).status, (await exactly(first)).status, (await exactly(second)).status]).toEqual([410, 200, 200]);
    api.clock.advanceTo(api.clock.now() + 40_000);
    expect([(await exactly(first)).status, (await exactly(second)).status]).toEqual([410, 200]);
  });

  it('before a named one have expired', async () => {
    await start({ version: 10_000_000 });
    const first = await created('a');
    expect((await exactly(first)).status).toBe(410);
    expect((await api.request('GET', collection)).json.items).toHaveLength(1);
  });
});
