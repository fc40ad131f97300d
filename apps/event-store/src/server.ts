import { randomUUID } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { APPEND_BYTES_MAX, LogUnavailableError, openEventStore, type EventStore, type NewEvent, type Payload } from '#libs/event-log';
import { Gate } from './access';
import { appendHandler } from './append';
import { batchAppendHandler } from './batch-append';
import { deleteHandler } from './delete';
import { gossip, supportedMethods } from './discovery';
import type { GrpcCall } from './grpc/grpc-call';
import { GrpcServer, type CallHandler } from './grpc/grpc-server';
import { ofOneRequest, unary, type Method } from './grpc/methods';
import { answerRead } from './read';
import { readRequest, streamAskedFor } from './read-request';
import { statusOf } from './refusals';
import type { EventStoreServer, EventStoreServerOptions, ServerTls } from './server-options';
import { WireSubscription } from './subscribe';
import type { Surroundings } from './surroundings';
import type { ReadRequestMessage } from './wire/messages';
import { loadProtocol } from './wire/protocol';

/** Of one message, as real servers take it: somewhat less than 16 MiB. Clients cut appends into messages of 3 MiB. */
const RECEIVE_BYTES_MAX = 16 * 1024 * 1024 - 10_000;

/** The open calls, so that they can be told when the server goes away: their clients then look for it again. */
class OpenCalls {
  private readonly calls = new Set<GrpcCall>();

  readonly add = (call: GrpcCall): void => {
    this.calls.add(call);
    call.onOver(() => this.calls.delete(call));
  };

  endAll(): void {
    const status = statusOf(new LogUnavailableError('the event store is shutting down'));
    for (const call of this.calls) call.end(status);
  }
}

function readHandler(method: Method, { store, gate, protocol, opened }: Surroundings): CallHandler {
  return ofOneRequest<ReadRequestMessage>(method, statusOf, ({ options }, call) => {
    opened(call);
    const caller = gate.caller(call.headers);
    gate.admit(caller, 'read', streamAskedFor(options));
    const request = readRequest(options!);
    if (request.count === undefined) {
      const subscription = new WireSubscription(store, request, call, protocol);
      call.onOver(() => subscription.close());
    } else answerRead(store, request, call, protocol).catch((error: unknown) => call.end(statusOf(error)));
  });
}

function assertUsable({ certificate, key }: ServerTls): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw new Error(`the event store cannot use its certificate and key: ${(error as Error).message}`, { cause: error });
  }
}

/** Begins an empty log as a real node does: with the metadata of its stream of statistics, so that `$all` is never empty. */
async function beginLog(store: EventStore<Payload>, host: string, port: number): Promise<void> {
  if (store.lastPosition > 0) return;
  const event: NewEvent<Payload> = { id: randomUUID(), type: '$metadata', data: '{"$maxAge":86400}', metadata: '' };
  await store.append(`$$$stats-${host}:${port}`, [event], 'any');
}

function handlersOf(around: Surroundings, port: () => number): Map<string, CallHandler> {
  const { protocol } = around;
  const handlers = new Map<string, CallHandler>();
  const serve = (path: string, handler: (method: Method) => CallHandler): void => {
    const method = protocol.method(path);
    handlers.set(method.path, handler(method));
  };
  serve('streams.Streams/Read', (method) => readHandler(method, around));
  serve('streams.Streams/Append', (method) => appendHandler(method, around));
  serve('streams.Streams/BatchAppend', (method) => batchAppendHandler(method, around));
  serve('streams.Streams/Delete', (method) => deleteHandler(method, 'delete', around));
  serve('streams.Streams/Tombstone', (method) => deleteHandler(method, 'tombstone', around));
  // These two are told to anybody, but to nobody with wrong credentials.
  const told = (method: Method, answer: (request: object, call: GrpcCall) => object): CallHandler =>
    unary<object>(method, statusOf, (request, call) => {
      around.gate.caller(call.headers);
      return answer(request, call);
    });
  serve('gossip.Gossip/Read', (method) => told(method, gossip(port)));
  serve('server_features.ServerFeatures/GetSupportedMethods', (method) => told(method, supportedMethods));
  return handlers;
}

export async function listen(options: EventStoreServerOptions): Promise<EventStoreServer> {
  const { host = '127.0.0.1', port = 0, appendBytesMax = APPEND_BYTES_MAX, tls } = options;
  if (!tls !== !options.users?.length) throw new Error('TLS and users go together: give the event store both, or neither');
  if (tls) assertUsable(tls);
  const store = options.store ?? (await openEventStore(options));
  const calls = new OpenCalls();
  const gate = new Gate(options.users, (stream) => store.acl(stream));
  const around: Surroundings = { store, bytesMax: appendBytesMax, protocol: loadProtocol(), gate, opened: calls.add };
  const closeStore = (): void => {
    if (!options.store) store.close();
  };
  let bound = port;
  const server = new GrpcServer(
    handlersOf(around, () => bound),
    { tls, receiveBytesMax: RECEIVE_BYTES_MAX },
  );
  try {
    bound = await server.listen(host, port);
    await beginLog(store, host, bound);
  } catch (error) {
    closeStore();
    throw new Error(`the event store cannot listen on ${host}:${port}: ${(error as Error).message}`, { cause: error });
  }
  return {
    port: bound,
    connectionString: `esdb://${host.includes(':') ? `[${host}]` : host}:${bound}?tls=${tls ? 'true' : 'false'}`,
    async close() {
      calls.endAll();
      await server.close();
      closeStore();
    },
  };
}
