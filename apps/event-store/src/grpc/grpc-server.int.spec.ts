import { connect, type ClientHttp2Session, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { Client, credentials, Metadata, type StatusObject } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GrpcCall } from './grpc-call';
import { GrpcServer } from './grpc-server';
import { code } from './status';

const same = (bytes: Buffer): Buffer => bytes;
const LARGE = Buffer.alloc(10_000, 'x');

interface Outcome {
  received: Buffer[];
  status: StatusObject;
}

/** Our server on one side, an independent gRPC client on the other. */
describe('gRPC over HTTP/2', () => {
  let server: GrpcServer;
  let port = 0;
  let client: Client;
  const calls: GrpcCall[] = [];
  const handlers = new Map<string, (call: GrpcCall) => void>([
    ['/test.Test/Echo', (call) => call.listen({ message: (bytes) => void call.write(Buffer.from(bytes)), ended: () => call.end() })],
    ['/test.Test/Refuse', (call) => call.end({ code: code.FAILED_PRECONDITION, details: '100 % näh\n', trailers: { why: 'because' } })],
    ['/test.Test/Hold', (call) => void calls.push(call)],
    [
      '/test.Test/Flood',
      async (call) => {
        calls.push(call);
        for (let i = 0; i < 1000 && !call.over; i++) await call.write(LARGE);
        call.end();
      },
    ],
  ]);
  beforeAll(async () => {
    server = new GrpcServer(handlers, { receiveBytesMax: 100_000 });
    port = await server.listen('127.0.0.1', 0);
    client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  function call(path: string, messages: Buffer[], options: object = {}): Promise<Outcome> {
    return new Promise((resolve) => {
      const stream = client.makeBidiStreamRequest(`/test.${path}`, same, same, new Metadata(), options);
      const received: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => received.push(bytes)).on('error', () => undefined);
      stream.on('status', (status: StatusObject) => resolve({ received, status }));
      for (const message of messages) stream.write(message);
      stream.end();
    });
  }

  it('carries messages of any size both ways, in order', async () => {
    const sent = Array.from({ length: 200 }, (_, i) => Buffer.alloc((i * 37) % 9000, i));
    const { received, status } = await call('Test/Echo', sent);
    expect(status.code).toBe(0);
    expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true);
    expect(received.map(({ length }) => length)).toEqual(sent.map(({ length }) => length));
    expect((await call('Test/Echo', [])).status.code).toBe(0);
  });

  it('reads what a client has compressed', async () => {
    const compressing = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.default_compression_algorithm': 2 });
    const sent = [Buffer.alloc(50_000, 'a'), Buffer.from('b')];
    const received = await new Promise<Buffer[]>((resolve) => {
      const stream = compressing.makeBidiStreamRequest('/test.Test/Echo', same, same, new Metadata());
      const messages: Buffer[] = [];
      stream
        .on('data', (bytes: Buffer) => messages.push(bytes))
        .on('error', () => undefined)
        .on('status', () => resolve(messages));
      for (const message of sent) stream.write(message);
      stream.end();
    });
    expect(received.map(String)).toEqual(sent.map(String));
    compressing.close();
  });

  it('ends calls with code, text and trailers', async () => {
    const { received, status } = await call('Test/Refuse', [Buffer.from('x')]);
    expect([received, status.code, status.details, status.metadata.get('why')]).toEqual([[], 9, '100 % näh\n', ['because']]);
    expect((await call('Test/Nothing', [])).status).toMatchObject({ code: 12, details: 'Method is unimplemented.' });
    expect((await call('Other/Echo', [])).status).toMatchObject({ code: 12, details: 'Service is unimplemented.' });
    expect((await call('Test/Echo', [Buffer.alloc(100_001)])).status.code).toBe(8);
  });

  it('ends a call whose deadline passes, and hears of it when the client goes away', async () => {
    expect((await call('Test/Hold', [], { deadline: Date.now() + 50 })).status.code).toBe(4);
    const stream = client.makeBidiStreamRequest('/test.Test/Hold', same, same, new Metadata());
    stream.on('error', () => undefined);
    const before = calls.length;
    stream.write(Buffer.from('x'));
    while (calls.length === before) await new Promise((resolve) => setImmediate(resolve));
    const over = new Promise<void>((resolve) => calls.at(-1)!.onOver(resolve));
    stream.cancel();
    await over;
    expect(calls.at(-1)!.write(Buffer.from('too late'))).toBeUndefined();
  });

  it('holds no more for a reader that does not read than it must', async () => {
    const stream = client.makeBidiStreamRequest('/test.Test/Flood', same, same, new Metadata());
    stream.on('error', () => undefined).pause();
    const before = calls.length;
    stream.end();
    while (calls.length === before) await new Promise((resolve) => setImmediate(resolve));
    const flooding = calls.at(-1)!;
    let wait = flooding.write(LARGE);
    while (!wait) wait = flooding.write(LARGE);
    let bytes = 0;
    stream.on('data', (message: Buffer) => (bytes += message.length)).resume();
    await new Promise((resolve) => stream.on('end', resolve));
    expect(bytes).toBeGreaterThanOrEqual(1000 * LARGE.length);
  });

  it('takes nothing but gRPC', async () => {
    const session: ClientHttp2Session = connect(`http://127.0.0.1:${port}`);
    const statusOf = (headers: OutgoingHttpHeaders): Promise<unknown> =>
      new Promise((resolve) => {
        const request = session.request(headers);
        request.on('response', (answer: IncomingHttpHeaders) => resolve(answer[':status'])).resume();
        request.end();
      });
    expect(await statusOf({ ':method': 'GET', ':path': '/test.Test/Echo' })).toBe(415);
    expect(await statusOf({ ':method': 'POST', ':path': '/test.Test/Echo', 'content-type': 'application/json' })).toBe(415);
    session.close();
  });
});
