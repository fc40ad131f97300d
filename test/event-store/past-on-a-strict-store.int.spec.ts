import { connectEventStoreDb, openEventStore } from '#libs/event-log';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEventStoreServer } from '#apps/event-store';
import { ApiFixture, fixtureStart } from '../../apps/apiserver/src/testing/api-fixture.fixture';
import { RealStoreFront } from '../../apps/event-store/src/testing/real-store-front';

const configMaps = '/api/v1/namespaces/default/configmaps';

/** Real servers answer an internal error to a read from between two events; `/at/<when>` must not make them. */
describe.each(['23.10', '26.1'] as const)('the past of a cluster on a store as strict as %s', (line) => {
  let front: RealStoreFront;
  let connectionString: string;
  let closers: (() => unknown)[] = [];
  /** Version right after each of a (12:00), b (12:10) and c (12:20). */
  let versions: string[];
  let api: ApiFixture;

  async function start(now?: number): Promise<ApiFixture> {
    const log = connectEventStoreDb({ connectionString });
    const started = await ApiFixture.start(log, now);
    closers.unshift(() => started.close().then(() => log.close()));
    return started;
  }

  beforeEach(async () => {
    const store = await openEventStore({});
    const server = await startEventStoreServer({ store });
    front = new RealStoreFront(server.port, store, line);
    connectionString = await front.open();
    closers = [() => front.close(), () => server.close(), () => store.close()];
    api = await start();
    versions = [];
    for (const name of ['a', 'b', 'c']) {
      versions.push((await api.configMap(name)).json.metadata.resourceVersion);
      api.clock.advanceTo(api.clock.now() + 600_000);
    }
  });
  afterEach(async () => {
    for (const close of closers) await close();
  });

  const namesAt = async (of: ApiFixture, when: string): Promise<string[]> =>
    (await of.request('GET', `/at/${when}${configMaps}`)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name);

  it('is found by version, time and time of day, without a position at which nothing is', async () => {
    expect(await namesAt(api, versions[1] as string)).toEqual(['a', 'b']);
    expect(await namesAt(api, '2026-01-01T12:15:00Z')).toEqual(['a', 'b']);
    expect(await namesAt(api, '12:09')).toEqual(['a']);
    expect(await namesAt(api, '-25m')).toEqual(['a']);
    expect(await namesAt(api, String(Number(versions[2]) - 3))).toEqual(['a', 'b']);
    expect(front.refused).toEqual([]);
  });

  it('is found by a server that was started again', async () => {
    const resumed = await start(fixtureStart + 86_400_000);
    expect(await namesAt(resumed, '2026-01-01T12:15:00Z')).toEqual(['a', 'b']);
    expect(await namesAt(resumed, versions[0] as string)).toEqual(['a']);
    const client = await resumed.watch(`${configMaps}?watch=1&resourceVersion=${Number(versions[1]) + 2}`);
    expect(client.takeNames()).toEqual(['ADDED c']);
    client.close();
    const events = await resumed.request('GET', `/kubereel/log?from=${Number(versions[2]) - 3}`);
    expect(events.json.events[0].position).toBe(Number(versions[2]));
    expect(front.refused).toEqual([]);
  });
});
