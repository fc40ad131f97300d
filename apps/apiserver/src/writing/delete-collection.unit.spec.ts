import { afterEach, expect, it, vi } from 'vitest';
import { createMemoryLog } from '#libs/event-log';
import { ApiFixture } from '../testing/api-fixture.fixture';

const collection = '/api/v1/namespaces/default/configmaps';
const log = createMemoryLog();
let api: ApiFixture;
afterEach(() => api.close());

/** Something happens just before the next append is written. */
function beforeNextAppend(intrude: () => Promise<unknown>): void {
  const append = log.append.bind(log);
  vi.spyOn(log, 'append').mockImplementationOnce(async (...appended) => {
    await intrude();
    return append(...appended);
  });
}

it('goes by the names of what was listed: what has come in its place meanwhile is deleted, selected or not, and the answer has what was listed', async () => {
  api = await ApiFixture.start(log);
  const { json: listed } = await api.configMap('a', { metadata: { labels: { tier: 'gold' } } });
  let later = '';
  beforeNextAppend(async () => {
    await api.request('DELETE', `${collection}/a`);
    later = (await api.configMap('a', { metadata: { labels: { tier: 'tin' } } })).json.metadata.uid;
  });
  const watch = await api.watch(`${collection}?watch=1&resourceVersion=${listed.metadata.resourceVersion}`);
  const deleted = await api.request('DELETE', `${collection}?labelSelector=tier%3Dgold`);
  expect(deleted).toMatchObject({ status: 200, json: { items: [{ metadata: { uid: listed.metadata.uid } }] } });
  expect(await api.request('GET', `${collection}/a`)).toMatchObject({ status: 404 });
  await vi.waitFor(() => expect(watch.frames).toHaveLength(3));
  expect(watch.frames.map(({ type, object }) => [type, object.metadata['uid']])).toEqual([
    ['DELETED', listed.metadata.uid],
    ['ADDED', later],
    ['DELETED', later],
  ]);
});
