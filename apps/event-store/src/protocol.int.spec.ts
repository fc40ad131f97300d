import { credentials, loadPackageDefinition, Metadata, type Client, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEventStoreServer, type EventStoreServer } from './event-store-server';

/** The protocol itself, also where no official client would tread. */
type Reply = Record<string, unknown> & { content?: string; result?: string };
interface Streams extends Client {
  Read(request: object): NodeJS.ReadableStream & { cancel(): void };
  Append(callback: (error: ServiceError | null, reply: Reply) => void): NodeJS.WritableStream & { write(message: object): boolean };
  BatchAppend(): ClientDuplexStream<object, Reply>;
  Delete(request: object, callback: (error: ServiceError | null, reply: Reply) => void): void;
}

const bytes = (text: string): Buffer => Buffer.from(text);
const stream = (name: string): object => ({ stream_name: bytes(name) });
const string = { string: {} };

describe('the protocol', () => {
  let server: EventStoreServer;
  let streams: Streams;
  beforeAll(async () => {
    server = await startEventStoreServer();
    const definition = loadSync('streams.proto', { includeDirs: [join(__dirname, 'proto')], keepCase: true, longs: String, oneofs: true });
    const root = loadPackageDefinition(definition) as unknown as Record<string, any>;
    const service = root['event_store']['client']['streams']['Streams'] as new (address: string, security: unknown) => Streams;
    streams = new service(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterAll(async () => {
    streams.close();
    await server.close();
  });

  /** The replies of a call, and the error that ended it. */
  async function replies(call: NodeJS.ReadableStream): Promise<{ received: Reply[]; error?: ServiceError }> {
    const received: Reply[] = [];
    return new Promise((resolve) => {
      call
        .on('data', (reply: Reply) => received.push(reply))
        .on('error', (error: ServiceError) => resolve({ received, error }))
        .on('end', () => resolve({ received }));
    });
  }

  const message = (
    id: object = { string: randomUUID() },
    metadata: object = { type: 'T', 'content-type': 'application/json' },
  ): object => ({
    id,
    metadata,
    data: bytes('{}'),
  });

  function append(...messages: object[]): Promise<{ reply?: Reply; error?: ServiceError }> {
    return new Promise((resolve) => {
      const call = streams.Append((error, reply) => resolve(error ? { error } : { reply }));
      for (const each of messages) call.write(each);
      call.end();
    });
  }

  it('refuses reads that contradict themselves', async () => {
    const from = { stream_identifier: stream('s'), start: {} };
    const all = { start: {} };
    const filter = { stream_identifier: { prefix: ['x'] }, count: {}, checkpointIntervalMultiplier: 1 };
    const bad: object[] = [
      {},
      { options: {} },
      { options: { stream: from, count: 1, no_filter: {} } },
      { options: { stream: from, no_filter: {}, uuid_option: string } },
      { options: { count: 1, no_filter: {}, uuid_option: string } },
      { options: { stream: from, count: 1, filter, uuid_option: string } },
      { options: { stream: { start: {} }, count: 1, no_filter: {}, uuid_option: string } },
      { options: { stream: from, subscription: {}, read_direction: 1, no_filter: {}, uuid_option: string } },
      { options: { all: { start: {} }, count: 1, filter: { count: {} }, uuid_option: string } },
      { options: { all: { start: {} }, count: 1, filter: { event_type: { regex: '[' }, count: {} }, uuid_option: string } },
      { options: { all, count: 1, filter: { event_type: { regex: 'x'.repeat(20_000) }, count: {} }, uuid_option: string } },
      { options: { all, count: 1, filter: { event_type: { prefix: ['x'] } }, uuid_option: string } },
      { options: { all, subscription: {}, filter: { event_type: { prefix: ['x'] }, count: {} }, uuid_option: string } },
      { options: { all, count: 1, uuid_option: string } },
      { options: { all, count: 0, no_filter: {}, uuid_option: string } },
      { options: { stream: { ...from, start: undefined, revision: '9223372036854775808' }, count: 1, no_filter: {}, uuid_option: string } },
      { options: { all: { position: { commit_position: '5', prepare_position: '6' } }, count: 1, no_filter: {}, uuid_option: string } },
    ];
    for (const request of bad) {
      const { received, error } = await replies(streams.Read(request));
      expect(received).toEqual([]);
      expect(error, JSON.stringify(request)).toMatchObject({ code: 3 });
    }
  });

  it('filters reads of $all, for clients that can ask for it', async () => {
    for (let i = 0; i < 6; i++)
      await append({ options: { stream_identifier: stream(`filtered-${i % 2}`), any: {} } }, { proposed_message: message() });
    const read = async (direction: number, count: number): Promise<unknown[]> => {
      const filter = { stream_identifier: { prefix: ['filtered-1'] }, max: 10, checkpointIntervalMultiplier: 1 };
      const place = direction === 0 ? { start: {} } : { end: {} };
      const call = streams.Read({ options: { all: place, read_direction: direction, count, filter, uuid_option: string } });
      return (await replies(call)).received.map((reply) => (reply as any).event.event.stream_revision ?? '0');
    };
    expect(await read(0, 100)).toEqual(['0', '1', '2']);
    expect(await read(0, 2)).toEqual(['0', '1']);
    expect(await read(1, 2)).toEqual(['2', '1']);
  });

  it('takes ids of both forms and gives the one asked for', async () => {
    const structured = { most_significant_bits: '4660', least_significant_bits: '43981' };
    const id = '00000000-0000-1234-0000-00000000abcd';
    await append(
      { options: { stream_identifier: stream('ids'), no_stream: {} } },
      { proposed_message: message({ structured }) },
      { proposed_message: message({ string: id.toUpperCase() }) },
    );
    for (const [option, expected] of [
      [string, { string: id }],
      [{ structured: {} }, { structured }],
    ] as const) {
      const { received } = await replies(
        streams.Read({
          options: { stream: { stream_identifier: stream('ids'), start: {} }, count: 9, no_filter: {}, uuid_option: option },
        }),
      );
      expect(received.map((reply) => (reply as any).event.event.id)).toMatchObject([expected, expected]);
    }
  });

  it('answers a wrong revision of a single append with a reply, and the rest with trailers', async () => {
    const options = { stream_identifier: stream('single'), no_stream: {} };
    expect((await append({ options }, { proposed_message: message() })).reply).toMatchObject({
      result: 'success',
      success: { current_revision: '0', position: {} },
    });
    const wrong = await append({ options: { stream_identifier: stream('single'), revision: 7 } }, { proposed_message: message() });
    expect(wrong.reply).toMatchObject({
      result: 'wrong_expected_version',
      wrong_expected_version: { current_revision: '0', expected_revision: '7' },
    });
    const none = await append({ options: { stream_identifier: stream('none'), stream_exists: {} } }, { proposed_message: message() });
    expect(none.reply!['wrong_expected_version']).toMatchObject({ current_no_stream: {}, expected_stream_exists: {} });
    const bare = await append({ options }, { proposed_message: message({ string: randomUUID() }, { type: 'T' }) });
    expect(bare.error!.metadata.get('exception')).toEqual(['missing-required-metadata-property']);
    expect(bare.error!.metadata.get('required-metadata-properties')).toEqual(['type,content-type']);
    expect((await append({ proposed_message: message() })).error!.code).toBe(3);
    expect((await append()).error!.code).toBe(3);
    expect((await append({ options: { stream_identifier: stream('s') } })).error!.code).toBe(3);
    const nothing = await append({ options: { stream_identifier: stream('empty'), no_stream: {} } });
    // A record is written, so there is a position.
    expect(nothing.reply!['success']).toMatchObject({ no_stream: {}, position: {} });
  });

  it('answers every append of a batch call by its correlation, whatever becomes of the others', async () => {
    const call = streams.BatchAppend();
    const done = replies(call);
    const correlations = Array.from({ length: 5 }, () => randomUUID());
    const send = (i: number, more: object): void =>
      void call.write({ correlation_id: { string: correlations[i] }, is_final: true, ...more });
    send(0, { options: { stream_identifier: stream('batch'), no_stream: {} }, proposed_messages: [message()] });
    send(1, { options: { stream_identifier: stream('batch'), stream_position: 9 }, proposed_messages: [message()] });
    send(2, { options: { stream_identifier: stream('batch') }, proposed_messages: [message()] });
    send(3, { options: { stream_identifier: stream('batch'), any: {} }, proposed_messages: [message({ string: 'x' })] });
    send(4, { proposed_messages: [message()], is_final: false });
    send(4, { options: { stream_identifier: stream('batch'), any: {} }, proposed_messages: [message()], is_final: false });
    send(4, { proposed_messages: [message()] });
    call.end();
    const { received, error } = await done;
    expect(error).toBeUndefined();
    const by = new Map(received.map((reply) => [(reply as any).correlation_id.string as string, reply as any]));
    expect([...by.keys()].sort()).toEqual([...correlations].sort());
    const types = correlations.map((id) => by.get(id).success?.current_revision ?? by.get(id).error.details.type_url.split('.').pop());
    expect(types).toEqual(['0', 'WrongExpectedVersion', 'BadRequest', 'BadRequest', '2']);
    for (const reply of received) expect((reply as any).stream_identifier.stream_name).toEqual(bytes('batch'));
  });

  it('ends a batch call only when nobody could be answered', async () => {
    for (const bad of [{ is_final: true }, { correlation_id: { string: 'x' }, is_final: true }]) {
      const call = streams.BatchAppend();
      const done = replies(call);
      call.write(bad);
      expect((await done).error).toMatchObject({ code: 3 });
    }
  });

  it('bounds what it receives', async () => {
    const huge = {
      id: { string: randomUUID() },
      metadata: { type: 'T', 'content-type': 'application/json' },
      data: Buffer.alloc(18 * 1024 * 1024),
    };
    const { error } = await append({ options: { stream_identifier: stream('huge'), any: {} } }, { proposed_message: huge });
    expect(error).toMatchObject({ code: 8 });
    const many = await append(
      { options: { stream_identifier: stream('huge'), any: {} } },
      ...Array.from({ length: 20 }, () => ({ proposed_message: { ...message(), data: Buffer.alloc(200_000) } })),
    );
    expect(many.error!.metadata.get('exception')).toEqual(['maximum-append-size-exceeded']);
    expect(many.error!.metadata.get('maximum-append-size')).toEqual([String(1024 * 1024)]);
  });

  it('names streams in trailers so that headers can carry them', async () => {
    const error = await new Promise<ServiceError>((resolve) => {
      streams.Delete({ options: { stream_identifier: stream('ß 日本'), revision: 3 } }, (refused) => resolve(refused!));
    });
    expect(error.metadata).toBeInstanceOf(Metadata);
    expect(decodeURIComponent(String(error.metadata.get('stream-name')[0]))).toBe('ß 日本');
    expect(error.metadata.get('expected-version')).toEqual(['3']);
    expect(error.metadata.get('actual-version')).toEqual(['-1']);
    expect(error.details).toBe('Delete failed due to WrongExpectedVersion. Stream: ß 日本, Expected version: 3, Actual version: -1');
  });
});
