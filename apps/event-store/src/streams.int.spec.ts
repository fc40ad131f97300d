import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EventStoreDBClient,
  persistentSubscriptionToStreamSettingsFromDefaults,
  StreamDeletedError,
  StreamNotFoundError,
  UnavailableError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventStoreServer } from './event-store-server';
import { all, counted, failure, happened, numbers, openStore, type StoreFixture } from './testing/store-fixture';

describe('stream metadata by the official client', () => {
  let store: StoreFixture;
  beforeAll(async () => {
    store = await openStore();
  });
  afterAll(() => store.close());

  it('is kept and given back', async () => {
    const before = await store.client.getStreamMetadata('meta');
    expect(before.metadata).toBeUndefined();
    const metadata = { maxCount: 7, maxAge: 3600, truncateBefore: 2, cacheControl: 5, acl: { readRoles: ['a', 'b'] }, owner: 'me' };
    await store.client.setStreamMetadata('meta', metadata);
    expect((await store.client.getStreamMetadata('meta')).metadata).toMatchObject({
      maxCount: 7,
      maxAge: 3600,
      truncateBefore: 2,
      owner: 'me',
    });
    const wrong = store.client.setStreamMetadata('meta', { maxCount: 1 }, { expectedRevision: 'no_stream' });
    expect(await failure(wrong)).toBeInstanceOf(WrongExpectedVersionError);
  });

  it('$maxCount and $tb hide events of the stream, $all keeps them', async () => {
    await store.client.appendToStream('bounded', counted(10));
    await store.client.setStreamMetadata('bounded', { maxCount: 3 });
    expect(await numbers(store.client.readStream('bounded'))).toEqual([7, 8, 9]);
    expect(await numbers(store.client.readStream('bounded', { direction: 'backwards', fromRevision: 'end' }))).toEqual([9, 8, 7]);
    expect(await numbers(store.client.readStream('bounded', { fromRevision: 2n, maxCount: 2 }))).toEqual([7, 8]);
    await store.client.appendToStream('bounded', happened({ i: 10 }), { expectedRevision: 9n });
    expect(await numbers(store.client.readStream('bounded'))).toEqual([8, 9, 10]);
    await store.client.setStreamMetadata('bounded', { truncateBefore: 10 });
    expect(await numbers(store.client.readStream('bounded'))).toEqual([10]);
    await store.client.setStreamMetadata('bounded', {});
    expect(await numbers(store.client.readStream('bounded'))).toHaveLength(11);
    expect((await all(store.client.readAll())).filter(({ event }) => event!.streamId === 'bounded')).toHaveLength(11);
  });
});

describe('deletion by the official client', () => {
  let store: StoreFixture;
  beforeAll(async () => {
    store = await openStore();
  });
  afterAll(() => store.close());

  it('soft: not found until written to again, revisions go on, the old stays hidden', async () => {
    await store.client.appendToStream('soft', counted(3));
    await store.client.setStreamMetadata('soft', { owner: 'me' });
    const { position } = await store.client.deleteStream('soft', { expectedRevision: 2n });
    expect(position!.commit).toBeGreaterThan(0n);
    expect(await failure(all(store.client.readStream('soft')))).toBeInstanceOf(StreamNotFoundError);
    expect(await failure(store.client.appendToStream('soft', happened(), { expectedRevision: 'stream_exists' }))).toBeInstanceOf(
      StreamDeletedError,
    );
    const again = await store.client.appendToStream('soft', [happened({ i: 3 }), happened({ i: 4 })], { expectedRevision: 'no_stream' });
    expect(again.nextExpectedRevision).toBe(4n);
    expect(await numbers(store.client.readStream('soft'))).toEqual([3, 4]);
    // What else the metadata said went with the stream; of a metadata stream the last event alone is shown.
    expect((await store.client.getStreamMetadata('soft')).metadata).toEqual({ truncateBefore: 3 });
    const metadata = await all(store.client.readStream('$$soft'));
    expect(metadata.map(({ event }) => [event!.type, event!.revision])).toEqual([['$metadata', 2n]]);
  });

  it('soft, then any', async () => {
    await store.client.appendToStream('soft-any', counted(2));
    await store.client.deleteStream('soft-any');
    expect((await store.client.appendToStream('soft-any', happened({ i: 2 }))).nextExpectedRevision).toBe(2n);
    expect(await numbers(store.client.readStream('soft-any'))).toEqual([2]);
  });

  it('hard: closed for good, also for reading', async () => {
    await store.client.appendToStream('hard', counted(3));
    await store.client.tombstoneStream('hard', { expectedRevision: 2n });
    expect(await failure(all(store.client.readStream('hard')))).toBeInstanceOf(StreamDeletedError);
    expect(await failure(store.client.deleteStream('hard'))).toBeInstanceOf(StreamDeletedError);
    expect(await failure(store.client.tombstoneStream('hard'))).toBeInstanceOf(StreamDeletedError);
    expect(await numbers(store.client.readAll())).toEqual(expect.arrayContaining([0, 1, 2]));
  });

  it('WrongExpectedVersionError, with what was expected and found', async () => {
    await store.client.appendToStream('kept', counted(3));
    for (const remove of ['deleteStream', 'tombstoneStream'] as const) {
      const stale = await failure(store.client[remove]('kept', { expectedRevision: 1n }));
      expect(stale).toBeInstanceOf(WrongExpectedVersionError);
      expect(stale).toMatchObject({ streamName: 'kept', expectedVersion: 1n, actualVersion: 2n });
      const none = await failure(store.client[remove]('absent', { expectedRevision: 1n }));
      expect(none).toMatchObject({ streamName: 'absent', expectedVersion: 1n, actualVersion: -1n });
    }
    expect(await all(store.client.readStream('kept'))).toHaveLength(3);
  });
});

describe('the server as a whole', () => {
  it('is found by discovery', async () => {
    const store = await openStore();
    for (const hosts of [`127.0.0.1:${store.server.port}`, `localhost:${store.server.port},127.0.0.1:${store.server.port}`]) {
      const scheme = hosts.includes(',') ? 'esdb' : 'esdb+discover';
      const client = EventStoreDBClient.connectionString(`${scheme}://${hosts}?tls=false`);
      expect((await client.appendToStream('found', happened())).success).toBe(true);
      await client.dispose();
    }
    await store.close();
  });

  it('keeps everything in its folder, metadata and tombstones too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubereel-store-'));
    const first = await openStore({ folder });
    await first.client.appendToStream('a', counted(5));
    await first.client.setStreamMetadata('a', { maxCount: 2 });
    await first.client.appendToStream('b', counted(2));
    await first.client.deleteStream('b');
    await first.client.tombstoneStream('c');
    await first.close();
    const second = await openStore({ folder });
    expect(await numbers(second.client.readStream('a'))).toEqual([3, 4]);
    expect(await failure(all(second.client.readStream('b')))).toBeInstanceOf(StreamNotFoundError);
    expect(await failure(all(second.client.readStream('c')))).toBeInstanceOf(StreamDeletedError);
    expect((await second.client.appendToStream('b', happened())).nextExpectedRevision).toBe(2n);
    expect(await failure(startEventStoreServer({ folder }))).toMatchObject({ folder, holderPid: process.pid });
    expect((await failure(startEventStoreServer({ port: second.server.port }))).message).toContain(String(second.server.port));
    await second.close();
    rmSync(folder, { recursive: true });
  });

  it('closes although calls are open, and tells their clients', async () => {
    const store = await openStore();
    await store.client.appendToStream('a', counted(3));
    const subscription = store.client.subscribeToAll();
    const ended = new Promise((resolve) => subscription.on('error', resolve));
    await new Promise((resolve) => subscription.once('caughtUp', resolve).resume());
    await store.server.close();
    expect(await ended).toBeInstanceOf(UnavailableError);
    await store.client.dispose();
  });

  it('does not claim what it does not serve', async () => {
    const store = await openStore();
    const refused = await failure(
      store.client.createPersistentSubscriptionToStream('s', 'group', persistentSubscriptionToStreamSettingsFromDefaults()),
    );
    expect(refused.message).toMatch(/UNIMPLEMENTED/);
    expect((await failure(store.client.listProjections())).message).toMatch(/UNIMPLEMENTED/);
    expect((await store.client.appendToStream('s', happened())).success).toBe(true);
    await store.close();
  });
});
