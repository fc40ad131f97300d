import type { VersionedChange } from '#libs/cluster-state';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamAnswer } from '../http/answer';
import { ApiFixture, WatchClient } from '../testing/api-fixture.fixture';
import { waitingMax } from './watch-session';

const collection = '/api/v1/namespaces/default/configmaps';
let api: ApiFixture;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });
  api = await ApiFixture.start();
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

const label = (name: string, labels: object): Promise<unknown> =>
  api.request('PATCH', `${collection}/${name}`, { metadata: { labels } }, { 'content-type': 'application/merge-patch+json' });

describe('where a watch begins', () => {
  it('tells the present state first when no version is named', async () => {
    await api.configMap('a');
    const client = await api.watch(`${collection}?watch=1`);
    await api.configMap('b');
    await api.request('DELETE', `${collection}/a`);
    expect(client.takeNames()).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
  });

  it('tells only what is newer than a version', async () => {
    const version = (await api.configMap('a')).json.metadata.resourceVersion;
    await label('a', { x: '1' });
    const client = await api.watch(`${collection}?watch=1&resourceVersion=${version}`);
    await api.configMap('b');
    expect(client.takeNames()).toEqual(['MODIFIED a', 'ADDED b']);
  });

  it('reads the log for versions from before the start of the server', async () => {
    const version = (await api.configMap('a')).json.metadata.resourceVersion;
    await api.configMap('b');
    const resumed = await ApiFixture.start(api.log, Date.UTC(2026, 0, 2));
    const client = await resumed.watch(`${collection}?watch=1&resourceVersion=${version}`);
    await resumed.configMap('c');
    expect(client.takeNames()).toEqual(['ADDED b', 'ADDED c']);
    await resumed.close();
  });

  it('tells what happens between its answer and the moment that its connection is ready', async () => {
    const version = (await api.configMap('a')).json.metadata.resourceVersion;
    const answer = await api.handle('GET', `${collection}?watch=1&resourceVersion=${version}`, undefined, {});
    await api.configMap('b');
    const client = new WatchClient();
    (answer as StreamAnswer).open(client);
    await api.configMap('c');
    expect(client.takeNames()).toEqual(['ADDED b', 'ADDED c']);
  });

  it('stays silent up to a version of the future', async () => {
    const client = await api.watch(`${collection}?watch=1&resourceVersion=999999999`);
    await api.configMap('a');
    expect(client.frames).toEqual([]);
  });

  it('marks the end of the initial events for those who ask for them', async () => {
    await api.configMap('a');
    const client = await api.watch(
      `${collection}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    const [added, bookmark] = client.frames;
    expect(added?.type).toBe('ADDED');
    expect(bookmark).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: String(api.runtime.state.position), annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    const none = await api.watch(`${collection}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
    expect(none.frames).toEqual([]);
    const future = await api.watch(
      `${collection}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999`,
    );
    expect([future.frames[0]?.type, future.ended]).toEqual(['ERROR', true]);
  });
});

describe('what a watch tells', () => {
  it('gives a deletion the version of the deletion', async () => {
    const { json } = await api.configMap('a', { data: { x: '1' } });
    const client = await api.watch(`${collection}?watch=1&resourceVersion=${json.metadata.resourceVersion}`);
    await api.request('DELETE', `${collection}/a`);
    expect(client.frames[0]).toMatchObject({
      type: 'DELETED',
      object: { kind: 'ConfigMap', data: { x: '1' }, metadata: { resourceVersion: String(api.runtime.state.position) } },
    });
  });

  it('translates what begins and ceases to match', async () => {
    const client = await api.watch(`${collection}?watch=1&labelSelector=tier%3Dgold`);
    await api.configMap('a', { metadata: { labels: { tier: 'silver' } } });
    await label('a', { tier: 'gold' });
    await label('a', { more: '1' });
    await label('a', { tier: 'silver' });
    const last = client.frames[2];
    expect(client.takeNames()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(last?.object.metadata).toMatchObject({
      labels: { tier: 'gold', more: '1' },
      resourceVersion: String(api.runtime.state.position),
    });
    await api.request('DELETE', `${collection}/a`);
    expect(client.frames).toEqual([]);
  });

  it('says nothing of writes that change nothing', async () => {
    await api.configMap('a', { metadata: { labels: { x: '1' } } });
    const client = await api.watch(`${collection}?watch=1&resourceVersion=${api.runtime.state.position}`);
    await label('a', { x: '1' });
    expect(client.frames).toEqual([]);
  });

  it('keeps to its namespace and name', async () => {
    const client = await api.watch('/api/v1/namespaces/kube-system/configmaps?watch=1');
    client.takeNames();
    const one = await api.watch(`/api/v1/watch/namespaces/default/configmaps/b`);
    await api.configMap('a');
    await api.configMap('b');
    expect([client.takeNames(), one.takeNames()]).toEqual([[], ['ADDED b']]);
  });

  it('names the columns of a Table once', async () => {
    await api.configMap('a');
    const client = await api.watch(`${collection}?watch=1`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' });
    await api.configMap('b');
    expect(client.frames.map(({ object }) => [object.kind, object.columnDefinitions === null])).toEqual([
      ['Table', false],
      ['Table', true],
    ]);
  });
});

describe('how a watch ends', () => {
  it('ends cleanly at its time-out, after a last bookmark', async () => {
    const client = await api.watch(`${collection}?watch=1&timeoutSeconds=10&allowWatchBookmarks=true&resourceVersion=1`);
    client.takeNames();
    vi.advanceTimersByTime(8_000);
    expect(client.takeNames()).toEqual(['BOOKMARK -']);
    expect(client.ended).toBe(false);
    vi.advanceTimersByTime(2_000);
    expect(client.ended).toBe(true);
  });

  it('never sends bookmarks unasked', async () => {
    const client = await api.watch(`${collection}?watch=1&timeoutSeconds=300&resourceVersion=${api.runtime.state.position}`);
    vi.advanceTimersByTime(299_000);
    expect(client.frames).toEqual([]);
  });

  it('waits for a slow client and breaks off when too much waits', async () => {
    const client = await api.watch(`${collection}?watch=1`);
    client.waitingBytes = Number.MAX_SAFE_INTEGER;
    await api.configMap('a');
    expect(client.frames).toEqual([]);
    client.drain();
    expect(client.takeNames()).toEqual(['ADDED a']);
    client.waitingBytes = Number.MAX_SAFE_INTEGER;
    const feed = api.live.feed('configmaps');
    const change = feed.history.after(0)?.at(-1) as VersionedChange;
    for (let i = 0; i <= waitingMax; i++) feed.push({ ...change, position: change.position + i });
    feed.flush();
    expect(client.aborted).toBe(true);
  });

  it('refuses options that do not go together before any stream begins', async () => {
    for (const query of [
      'sendInitialEvents=true',
      'resourceVersionMatch=NotOlderThan',
      'resourceVersion=abc',
      'timeoutSeconds=x',
      'labelSelector=%3D',
    ]) {
      expect((await api.request('GET', `${collection}?watch=1&${query}`)).status).toBeGreaterThanOrEqual(400);
    }
  });
});
