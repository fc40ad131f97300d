import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog } from '#libs/event-log';
import { ApiFixture, fixtureStart } from '../testing/api-fixture.fixture';

let api: ApiFixture;
beforeEach(async () => {
  api = await ApiFixture.start(createMemoryLog(), fixtureStart, 10);
});
afterEach(() => api.close());

const secrets = '/api/v1/namespaces/default/secrets';

describe('changes kept in memory', () => {
  it('are the newest of all kinds together, so that many kinds take no more than two', async () => {
    const version = Number((await api.configMap('old')).json.metadata.resourceVersion);
    const { history } = api.live.feed('configmaps');
    expect(history.completeSince).toBeLessThan(version);
    for (let i = 0; i < 50; i++) await api.request('POST', secrets, { metadata: { name: `s${i}` } });
    expect(history.completeSince).toBe(version);
    expect(history.after(version)).toEqual([]);
  });

  it('leave a watch from before to the log', async () => {
    const { position } = api.runtime.state;
    await api.configMap('old');
    for (let i = 0; i < 50; i++) await api.request('POST', secrets, { metadata: { name: `s${i}` } });
    const client = await api.watch(`/api/v1/configmaps?watch=1&resourceVersion=${position}`);
    await api.configMap('new');
    await expect.poll(() => client.frames.length).toBe(2);
    expect(client.takeNames()).toEqual(['ADDED old', 'ADDED new']);
  });
});
