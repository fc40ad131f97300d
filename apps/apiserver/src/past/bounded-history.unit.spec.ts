import { createMemoryLog } from '#libs/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

const configMaps = '/api/v1/namespaces/default/configmaps';
const writes = 400;
const minuteMs = 60_000;
let api: ApiFixture;
/** Version of each write: `c-0` to `c-399`, a minute apart; every tenth is deleted again. */
let versions: string[];
let token: string;

beforeEach(async () => {
  api = await ApiFixture.start(createMemoryLog({ historyBytesMax: 100_000 }), fixtureStart, 4);
  versions = [];
  for (let i = 0; i < writes; i++) {
    const { json } = await api.configMap(`c-${i}`, { data: { text: 'x'.repeat(200) } });
    versions.push(json.metadata.resourceVersion);
    if (i === 2) token = (await api.request('GET', `${configMaps}?limit=1`)).json.metadata.continue;
    if (i % 10 === 0) await api.request('DELETE', `${configMaps}/c-${i}`);
    api.clock.advanceTo(api.clock.now() + minuteMs);
  }
});
afterEach(() => api.close());

const at = (index: number): string => versions[index] as string;

describe('a history that lets go of its beginning', () => {
  it('still shows any moment that it keeps, whole', async () => {
    expect(api.log.history?.forgotten).toBeGreaterThan(Number(at(100)));
    const { status, json } = await api.request('GET', `/at/${at(390)}${configMaps}`);
    expect(status).toBe(200);
    const expected = Array.from({ length: 391 }, (_, i) => `c-${i}`).filter((name, i) => i === 390 || !name.endsWith('0'));
    expect(json.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(expected.sort());
    const list = await api.request('GET', `${configMaps}?resourceVersion=${at(380)}&resourceVersionMatch=Exact`);
    expect(list.json.items).toHaveLength(381 - 38);
  });

  it('answers 410 to reads of what came before, each as a compacted server would', async () => {
    const gone = { status: 410, json: { reason: 'Expired', code: 410 } };
    expect(await api.request('GET', `/at/${at(5)}${configMaps}`)).toMatchObject(gone);
    expect(await api.request('GET', `/at/${at(5)}${configMaps}/c-5`)).toMatchObject(gone);
    expect(await api.request('GET', `/at/2026-01-01T12:00:30Z${configMaps}`)).toMatchObject(gone);
    expect(await api.request('GET', `${configMaps}?resourceVersion=${at(5)}&resourceVersionMatch=Exact`)).toMatchObject({
      ...gone,
      json: { message: 'The resourceVersion for the provided list is too old.' },
    });
    const continued = await api.request('GET', `${configMaps}?limit=1&continue=${token}`);
    expect(continued).toMatchObject(gone);
    const rest = await api.request('GET', `${configMaps}?limit=1&continue=${continued.json.metadata.continue}`);
    expect(rest).toMatchObject({ status: 200, json: { items: [{ metadata: { name: 'c-101' } }] } });
  });

  it('is refused where it was let go of, though memory still has it', async () => {
    await api.close();
    api = await ApiFixture.start(createMemoryLog({ historyBytesMax: 100_000 }), fixtureStart);
    const first = (await api.configMap('first')).json.metadata.resourceVersion as string;
    for (let i = 0; i < writes; i++) await api.configMap(`d-${i}`, { data: { text: 'x'.repeat(200) } });
    expect(api.live.feed('configmaps').history.after(Number(first))).toHaveLength(writes);
    const gone = { status: 410, json: { reason: 'Expired' } };
    expect(await api.request('GET', `/at/${first}${configMaps}`)).toMatchObject(gone);
    expect(await api.request('GET', `/at/${first}${configMaps}/first`)).toMatchObject(gone);
    const refused = await api.watch(`/at/${first}${configMaps}?watch=1`).then(
      (client) => client.frames,
      (error: Error) => error.message,
    );
    expect(refused).toContain('410');
  });

  it('ends a watch from before with an ERROR frame, and begins one from what it keeps', async () => {
    const early = await api.watch(`${configMaps}?watch=1&resourceVersion=${at(5)}`);
    expect(early.frames).toMatchObject([
      { type: 'ERROR', object: { code: 410, reason: 'Expired', message: expect.stringMatching(`^too old resource version: ${at(5)} `) } },
    ]);
    const late = await api.watch(`${configMaps}?watch=1&resourceVersion=${at(397)}`);
    expect(late.takeNames()).toEqual(['ADDED c-398', 'ADDED c-399']);
    late.close();
  });
});
