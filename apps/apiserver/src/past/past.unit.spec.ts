import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

const configMaps = '/api/v1/namespaces/default/configmaps';
let api: ApiFixture;
/** Version right after each of a (12:00), b (12:10) and c (12:20). */
let versions: string[];
beforeEach(async () => {
  api = await ApiFixture.start();
  versions = [];
  for (const name of ['a', 'b', 'c']) {
    versions.push((await api.configMap(name)).json.metadata.resourceVersion);
    api.clock.advanceTo(api.clock.now() + 600_000);
  }
});
afterEach(() => api.close());

const namesAt = async (when: string): Promise<string[]> =>
  (await api.request('GET', `/at/${when}${configMaps}`)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);

describe('a moment of the past', () => {
  it('is named by version, time, time of day, how long ago, or what came next', async () => {
    expect(await namesAt(versions[1] as string)).toEqual(['a', 'b']);
    expect(await namesAt('2026-01-01T12:15:00Z')).toEqual(['a', 'b']);
    expect(await namesAt('12:09')).toEqual(['a']);
    expect(await namesAt('12:10:00')).toEqual(['a', 'b']);
    expect(await namesAt('-25m')).toEqual(['a']);
    let id = '';
    for await (const page of api.log.readStream('local.configmaps-default/b')) id = page[0]?.id as string;
    expect(await namesAt(`before:${id}`)).toEqual(['a']);
  });

  it('is refused when it cannot be', async () => {
    for (const when of ['nonsense', '25:99', '11:00', '2020-01-01T00:00:00Z', 'before:nothing', '999999999']) {
      expect((await api.request('GET', `/at/${when}${configMaps}`)).status).toBeGreaterThanOrEqual(400);
    }
    const future = await api.request('GET', `/at/2030-01-01T00:00:00Z${configMaps}`);
    expect(future).toMatchObject({ status: 400, json: { message: '2030-01-01T00:00:00.000Z lies in the future' } });
  });

  it('names the other days that a time of day could have meant', async () => {
    api.clock.advanceTo(fixtureStart + 3 * 86_400_000);
    await api.configMap('d');
    const { headers, json } = await api.request('GET', `/at/12:00${configMaps}`);
    expect(json.items).toHaveLength(4);
    expect(headers.Warning).toEqual([
      expect.stringContaining('2026-01-03T12:00:00.000Z, 2026-01-02T12:00:00.000Z, 2026-01-01T12:00:00.000Z'),
    ]);
  });

  it('shows one object, lists with the version, and pages', async () => {
    const at = `/at/${versions[1]}${configMaps}`;
    expect(await api.request('GET', `${at}/b`)).toMatchObject({ status: 200 });
    expect(await api.request('GET', `${at}/c`)).toMatchObject({ status: 404 });
    const first = (await api.request('GET', `${at}?limit=1`)).json;
    expect(first.metadata.resourceVersion).toBe(versions[1]);
    const second = (await api.request('GET', `${at}?limit=1&continue=${first.metadata.continue}`)).json;
    expect(second.items[0].metadata.name).toBe('b');
  });

  it('counts ages to the moment that was asked for, not to what happened last before it', async () => {
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const ages = async (when: string): Promise<unknown[]> =>
      (await api.request('GET', `/at/${when}${configMaps}`, undefined, table)).json.rows.map(({ cells }: { cells: unknown[] }) => [
        cells[0],
        cells[2],
      ]);
    expect(await ages('12:09')).toEqual([['a', '9m']]);
    expect(await ages('12:18:30')).toEqual([
      ['a', '18m'],
      ['b', '8m30s'],
    ]);
    expect(await ages(versions[1] as string)).toEqual([
      ['a', '10m'],
      ['b', '0s'],
    ]);
  });

  it('can be watched up to itself', async () => {
    const client = await api.watch(`/at/${versions[1]}${configMaps}?watch=1&allowWatchBookmarks=1`);
    await api.configMap('d');
    expect(client.takeNames()).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK -']);
    const since = await api.watch(`/at/${versions[1]}${configMaps}?watch=1&resourceVersion=${versions[0]}`);
    expect(since.takeNames()).toEqual(['ADDED b']);
    client.close();
    since.close();
  });

  it('is not written to', async () => {
    expect(await api.request('DELETE', `/at/${versions[1]}${configMaps}/a`)).toMatchObject({
      status: 405,
      json: { reason: 'MethodNotAllowed' },
    });
  });

  it('is the same after a restart, read from the log', async () => {
    const resumed = await ApiFixture.start(api.log, fixtureStart + 86_400_000);
    const now = await api.request('GET', `/at/${versions[1]}${configMaps}`);
    expect((await resumed.request('GET', `/at/${versions[1]}${configMaps}`)).text).toBe(now.text);
    await resumed.close();
  });
});
