import { BACKWARDS, END, FORWARDS, START, StreamDeletedError, StreamNotFoundError, type ReadStreamOptions } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { all, counted, failure, happened, numbers, openStore, type StoreFixture } from './testing/store-fixture';

describe('reading by the official client', () => {
  let store: StoreFixture;
  beforeAll(async () => {
    store = await openStore();
    await store.client.appendToStream('six', counted(6));
  });
  afterAll(() => store.close());

  const cases: [string, ReadStreamOptions, number[]][] = [
    ['all', {}, [0, 1, 2, 3, 4, 5]],
    ['some', { maxCount: 2 }, [0, 1]],
    ['from a revision', { fromRevision: 4n, direction: FORWARDS }, [4, 5]],
    ['from beyond the end', { fromRevision: 40n }, []],
    ['backwards', { direction: BACKWARDS, fromRevision: END }, [5, 4, 3, 2, 1, 0]],
    ['the last one', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }, [5]],
    ['backwards from a revision', { direction: BACKWARDS, fromRevision: 2n }, [2, 1, 0]],
    ['backwards from start', { direction: BACKWARDS, fromRevision: START }, [0]],
  ];
  it.each(cases)('a stream: %s', async (_name, options, expected) => {
    expect(await numbers(store.client.readStream('six', options))).toEqual(expected);
  });

  it('forwards from the end is refused, as a real server refuses it', async () => {
    const error = await failure(all(store.client.readStream('six', { fromRevision: END })));
    expect(error.message).toBe('2 UNKNOWN: Unexpected ReadStreamResult: Error');
  });

  it('gives revisions and positions', async () => {
    const read = (await all(store.client.readStream('six'))).map(({ event }) => event!);
    expect(read.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
    expect(read.map(({ position }) => position!.commit)).toEqual(read.map(({ position }) => position!.prepare));
  });

  it('StreamNotFoundError for a missing stream, StreamDeletedError for a closed one', async () => {
    const missing = await failure(all(store.client.readStream('missing')));
    expect(missing).toBeInstanceOf(StreamNotFoundError);
    expect(missing).toMatchObject({ streamName: 'missing' });
    await store.client.tombstoneStream('closed ✓', { expectedRevision: 'no_stream' });
    const closed = await failure(all(store.client.readStream('closed ✓')));
    expect(closed).toBeInstanceOf(StreamDeletedError);
    expect(decodeURIComponent((closed as StreamDeletedError).streamName)).toBe('closed ✓');
  });

  it('long streams, at the pace of a slow reader', async () => {
    for (let i = 0; i < 8; i++) await store.client.appendToStream('long', counted(500));
    let read = 0;
    for await (const { event } of store.client.readStream('long')) {
      expect(event!.revision).toBe(BigInt(read));
      if (read++ % 300 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read).toBe(4000);
  });

  it('a reader that goes away leaves the server as it was', async () => {
    for (let i = 0; i < 20; i++) {
      const read = store.client.readStream('long');
      for await (const { event } of read) if (event!.revision === 10n) break;
      await read.cancel();
    }
    expect(await all(store.client.readStream('six'))).toHaveLength(6);
  });

  it('$all holds everything, system events too, both ways and from positions', async () => {
    const fresh = await openStore();
    const begun = await all(fresh.client.readAll());
    // As on a new node: what is to become of its statistics.
    expect(begun.map(({ event }) => [event!.type, event!.streamId.slice(0, 9)])).toEqual([['$metadata', '$$$stats-']]);
    const { streamId } = begun[0]!.event!;
    await fresh.client.appendToStream('a', counted(2));
    await fresh.client.setStreamMetadata('a', { maxCount: 10 });
    await fresh.client.appendToStream('$odd', counted(1));
    await fresh.client.tombstoneStream('b');
    const streams = (read: { event?: { streamId: string } }[]): unknown[] => read.map(({ event }) => event!.streamId);
    const forwards = await all(fresh.client.readAll());
    expect(streams(forwards)).toEqual([streamId, 'a', 'a', '$$a', '$odd', 'b']);
    expect(forwards[5]!.event!.type).toBe('$streamDeleted');
    expect(forwards[5]!.event!.revision).toBe(2n ** 63n - 1n);
    const backwards = await all(fresh.client.readAll({ direction: BACKWARDS, fromPosition: END }));
    expect(streams(backwards)).toEqual(['b', '$odd', '$$a', 'a', 'a', streamId]);
    const at = forwards[3]!.event!.position!;
    expect(streams(await all(fresh.client.readAll({ fromPosition: at })))).toEqual(['$$a', '$odd', 'b']);
    expect(streams(await all(fresh.client.readAll({ fromPosition: at, direction: BACKWARDS })))).toEqual(['a', 'a', streamId]);
    expect(streams(await all(fresh.client.readAll({ fromPosition: at, maxCount: 1 })))).toEqual(['$$a']);
    expect(streams(await all(fresh.client.readAll({ fromPosition: END })))).toEqual([]);
    await fresh.close();
  });

  it('resolves links, also those to nowhere', async () => {
    await store.client.appendToStream('targets', counted(3));
    const link = (data: string): ReturnType<typeof happened> => happened(data as never, '$>');
    // The client writes JSON text; a link is plain text, so it goes as bytes.
    const links = ['1@targets', '7@targets', '0@missing'].map((text) => ({
      ...link(text),
      contentType: 'application/octet-stream' as const,
      data: Buffer.from(text),
    }));
    await store.client.appendToStream('links', links as never);
    const resolved = await all(store.client.readStream('links', { resolveLinkTos: true }));
    expect(resolved.map(({ event, link: from }) => [event?.streamId, event?.revision, from?.streamId, from?.revision])).toEqual([
      ['targets', 1n, 'links', 0n],
      [undefined, undefined, 'links', 1n],
      [undefined, undefined, 'links', 2n],
    ]);
    const plain = await all(store.client.readStream('links'));
    expect(plain.map(({ event, link: from }) => [event?.type, from])).toEqual(Array(3).fill(['$>', undefined]));
  });
});
