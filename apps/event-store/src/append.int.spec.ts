import { randomUUID } from 'node:crypto';
import {
  binaryEvent,
  DeadlineExceededError,
  jsonEvent,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  UnknownError,
  WrongExpectedVersionError,
  type AppendToStreamOptions,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { all, counted, failure, happened, numbers, openStore, type StoreFixture } from './testing/store-fixture';

/** Credentials for a call of its own make the client use `Append`; without, it is `BatchAppend`. */
const kinds: [string, AppendToStreamOptions][] = [
  ['BatchAppend', {}],
  ['Append', { credentials: { username: 'a', password: 'b' } }],
];

describe.each(kinds)('appending by the official client: %s', (_kind, call) => {
  let store: StoreFixture;
  let stream = '';
  let count = 0;
  beforeAll(async () => {
    store = await openStore();
  });
  afterAll(() => store.close());
  const fresh = (): string => (stream = `stream-${count++}`);

  it('answers revision and position', async () => {
    const first = await store.client.appendToStream(fresh(), counted(3), { expectedRevision: 'no_stream', ...call });
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 2n });
    const second = await store.client.appendToStream(stream, happened(), { expectedRevision: 2n, ...call });
    expect(second.nextExpectedRevision).toBe(3n);
    expect(second.position!.commit).toBeGreaterThan(first.position!.commit);
    expect(second.position!.prepare).toBe(second.position!.commit);
  });

  it('WrongExpectedVersionError, with what was expected and found', async () => {
    await store.client.appendToStream(fresh(), counted(3), call);
    const cases: [AppendToStreamOptions['expectedRevision'], string, unknown][] = [
      ['no_stream', stream, 2n],
      [1n, stream, 2n],
      [7n, stream, 2n],
      [0n, 'none', 'no_stream'],
      ['stream_exists', 'none', 'no_stream'],
    ];
    for (const [expectedRevision, name, actualVersion] of cases) {
      const error = await failure(store.client.appendToStream(name, happened(), { expectedRevision, ...call }));
      expect(error).toBeInstanceOf(WrongExpectedVersionError);
      expect(error).toMatchObject({ streamName: name, expectedVersion: expectedRevision, actualVersion });
    }
  });

  it('a retry by id is answered as the first time', async () => {
    const events = counted(2);
    const first = await store.client.appendToStream(fresh(), events, { expectedRevision: 'no_stream', ...call });
    await store.client.appendToStream(stream, happened(), { expectedRevision: 1n, ...call });
    expect(await store.client.appendToStream(stream, events, { expectedRevision: 'no_stream', ...call })).toEqual(first);
    expect(await store.client.appendToStream(stream, events, { expectedRevision: 'any', ...call })).toEqual(first);
    expect(await all(store.client.readStream(stream))).toHaveLength(3);
  });

  it('keeps bytes, JSON of any shape, metadata of both kinds, names in any script', async () => {
    const bytes = Uint8Array.from([0, 255, 254, 1, 128, 65, 0]);
    const sent = [
      binaryEvent({ id: randomUUID(), type: 'Bytes', data: bytes, metadata: bytes }),
      binaryEvent({ id: randomUUID(), type: 'Text as bytes', data: Buffer.from('{"x":1}') }),
      jsonEvent({ id: randomUUID(), type: 'Ärray', data: [1, 'zwei', null] as never, metadata: { m: 1 } }),
      jsonEvent({ id: randomUUID(), type: 'Text', data: 'just ✓ text' as never }),
      binaryEvent({ id: randomUUID(), type: 'Nothing', data: new Uint8Array(0) }),
    ];
    const name = `日本/ストリーム ${randomUUID()}`;
    await store.client.appendToStream(name, sent, call);
    const read = (await all(store.client.readStream(name))).map(({ event }) => event!);
    expect(read.map(({ id, type, isJson, streamId }) => [id, type, isJson, streamId])).toEqual(
      sent.map(({ id, type, contentType }) => [id, type, (contentType as string) === 'application/json', name]),
    );
    expect(Buffer.from(read[0]!.data as Uint8Array)).toEqual(Buffer.from(bytes));
    expect(Buffer.from(read[0]!.metadata as Uint8Array)).toEqual(Buffer.from(bytes));
    expect(Buffer.from(read[1]!.data as Uint8Array).toString()).toBe('{"x":1}');
    expect(read[1]!.metadata).toBeUndefined();
    expect(read.slice(2, 4).map(({ data, metadata }) => [data, metadata])).toEqual([
      [[1, 'zwei', null], { m: 1 }],
      ['just ✓ text', undefined],
    ]);
    expect((read[4]!.data as Uint8Array).length).toBe(0);
    expect(Math.abs(read[0]!.created.getTime() - Date.now())).toBeLessThan(60_000);
  });

  it('MaxAppendSizeExceededError above 1 MiB, and nothing written', async () => {
    const large = happened({ text: 'x'.repeat(600_000) });
    const error = await failure(store.client.appendToStream(fresh(), [large, large], call));
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({ maxAppendSize: 1024 * 1024 });
    expect((await store.client.appendToStream(stream, large, { expectedRevision: 'no_stream', ...call })).nextExpectedRevision).toBe(0n);
  });

  it('an append in many messages is one append', async () => {
    const options = { ...call, batchAppendSize: 400, expectedRevision: 'no_stream' } as const;
    const results = await Promise.allSettled([
      store.client.appendToStream(fresh(), counted(50), options),
      store.client.appendToStream(stream, counted(40), options),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const read = await numbers(store.client.readStream(stream));
    expect(read).toEqual(read.map((_, i) => i));
    expect([40, 50]).toContain(read.length);
  });

  it('an empty append succeeds and changes nothing', async () => {
    await store.client.appendToStream(fresh(), [], { expectedRevision: 'no_stream', ...call });
    await store.client.appendToStream(stream, counted(2), { expectedRevision: 'no_stream', ...call });
    expect((await store.client.appendToStream(stream, [], { expectedRevision: 1n, ...call })).nextExpectedRevision).toBe(1n);
  });

  it('StreamDeletedError on a tombstoned stream', async () => {
    await store.client.appendToStream(fresh(), counted(2), call);
    await store.client.tombstoneStream(stream);
    const error = await failure(store.client.appendToStream(stream, happened(), call));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ streamName: stream });
  });

  it('an id that is no UUID is refused', async () => {
    const error = await failure(store.client.appendToStream(fresh(), happened({}, 'T', 'not-a-uuid'), call));
    expect(error).toBeInstanceOf(UnknownError);
  });

  it('refused appends do not disturb the good ones beside them', async () => {
    fresh();
    const tries = Array.from({ length: 60 }, (_, i) =>
      i % 4 === 0
        ? store.client.appendToStream(`${stream}-good`, happened({ i }, 'Counted'), call)
        : store.client.appendToStream(
            i % 4 === 1 ? `${stream}-bad` : `${stream}-${i}`,
            i % 4 === 2 ? happened({ text: 'x'.repeat(1_100_000) }) : i % 4 === 3 ? happened({}, 'T', 'bad id') : happened(),
            { expectedRevision: i % 4 === 1 ? 5n : 'any', ...call },
          ),
    );
    const outcomes = await Promise.allSettled(tries);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).constructor] : []));
    expect(new Set(reasons)).toEqual(new Set([WrongExpectedVersionError, MaxAppendSizeExceededError, UnknownError]));
    expect(await all(store.client.readStream(`${stream}-good`))).toHaveLength(15);
  });
});

describe('deadlines', () => {
  it('DeadlineExceededError when it had passed before the append was complete', async () => {
    const store = await openStore();
    await store.client.appendToStream('s', happened());
    const error = await failure(store.client.appendToStream('s', happened(), { deadline: -1000 }));
    expect(error).toBeInstanceOf(DeadlineExceededError);
    expect(await all(store.client.readStream('s'))).toHaveLength(1);
    await store.close();
  });
});
