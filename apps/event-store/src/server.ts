import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { createSecureContext } from 'node:tls';
import { APPEND_BYTES_MAX, LogUnavailableError, openEventStore, type EventStore, type Payload } from '#libs/event-log';
import { admit, Gate } from './access';
import { appendHandler } from './append';
import { batchAppendHandler } from './batch-append';
import { deleteHandler } from './delete';
import { gossipHandler, supportedMethods } from './discovery';
import type { EventStoreServer, EventStoreServerOptions, ServerTls } from './server-options';
import { answerRead } from './read';
import { readRequest, type ReadRequest } from './read-request';
import { InvalidArgument } from './invalid-request';
import { ReplyStream } from './reply-stream';
import { WireSubscription } from './subscribe';
import type { ReadRequestMessage } from './wire/messages';
import { loadProtocol } from './wire/protocol';

/** Clients cut appends into messages of 3 MiB; real servers take 16 MiB. */
const RECEIVE_BYTES_MAX = 17 * 1024 * 1024;
const CLOSE_GRACE_MS = 1000;

/** The open calls, so that they can be told when the server goes away: their clients then look for it again. */
class OpenCalls {
  private readonly calls = new Set<ReplyStream>();

  readonly add = (call: ReplyStream): (() => void) => {
    this.calls.add(call);
    return () => this.calls.delete(call);
  };

  failAll(): void {
    for (const call of this.calls) call.fail(new LogUnavailableError('the event store is shutting down'));
  }
}

function assertEventAt(store: EventStore<Payload>, { target }: ReadRequest): void {
  if (target.kind !== 'all' || typeof target.from !== 'number' || target.from === 0) return;
  if (store.readAll(target.from, 1, 'forwards').events[0]?.position !== target.from)
    throw new InvalidArgument(`no event is at position ${target.from}`);
}

function readHandler(store: EventStore<Payload>, calls: OpenCalls, gate: Gate, strictPositions: boolean) {
  return (call: ServerWritableStream<ReadRequestMessage, object>): void => {
    let over: () => void = () => undefined;
    const replies = new ReplyStream(call, () => over());
    const forget = calls.add(replies);
    over = forget;
    try {
      const caller = gate.caller(call.metadata);
      const request = readRequest(call.request.options);
      admit(caller, request.target.kind === 'all' ? { all: true } : request.target);
      if (strictPositions) assertEventAt(store, request);
      if (request.count === undefined) {
        const subscription = new WireSubscription(store, request, replies);
        over = () => {
          subscription.close();
          forget();
        };
      } else answerRead(store, request, replies).catch((error: unknown) => replies.fail(error));
    } catch (error) {
      replies.fail(error);
    }
  };
}

function credentialsOf(tls: ServerTls | undefined): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  try {
    createSecureContext({ cert: tls.certificate, key: tls.key });
    return ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) }]);
  } catch (error) {
    throw new Error(`the event store cannot use its certificate and key: ${(error as Error).message}`, { cause: error });
  }
}

function bind(server: Server, host: string, port: number, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    // A taken port is reported by the error; the library writes it to standard error as well.
    setLogVerbosity(logVerbosity.NONE);
    server.bindAsync(`${host.includes(':') ? `[${host}]` : host}:${port}`, credentials, (error, bound) => {
      setLogVerbosity(logVerbosity.ERROR);
      if (error) reject(new Error(`the event store cannot listen on ${host}:${port}: ${error.message}`));
      else resolve(bound);
    });
  });
}

function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, CLOSE_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(force);
      resolve();
    });
  });
}

export async function listen(options: EventStoreServerOptions): Promise<EventStoreServer> {
  const { host = '127.0.0.1', port = 0, appendBytesMax = APPEND_BYTES_MAX } = options;
  if (!options.tls !== !options.users?.length) throw new Error('TLS and users go together: give the event store both, or neither');
  const credentials = credentialsOf(options.tls);
  const gate = new Gate(options.users);
  const store = options.store ?? (await openEventStore(options));
  const protocol = loadProtocol();
  const calls = new OpenCalls();
  let bound = port;
  const server = new Server({ 'grpc.max_receive_message_length': RECEIVE_BYTES_MAX, 'grpc.max_send_message_length': -1 });
  server.addService(protocol.services.streams, {
    Read: readHandler(store, calls, gate, options.strictPositions === true),
    Append: appendHandler(store, appendBytesMax, gate),
    BatchAppend: batchAppendHandler(store, appendBytesMax, protocol, calls.add, gate),
    Delete: deleteHandler(store, 'delete', gate),
    Tombstone: deleteHandler(store, 'tombstone', gate),
  } as UntypedServiceImplementation);
  server.addService(protocol.services.gossip, { Read: gossipHandler(() => bound) } as UntypedServiceImplementation);
  server.addService(protocol.services.serverFeatures, { GetSupportedMethods: supportedMethods } as UntypedServiceImplementation);
  const closeStore = (): void => {
    if (!options.store) store.close();
  };
  try {
    bound = await bind(server, host, port, credentials);
  } catch (error) {
    closeStore();
    throw error;
  }
  return {
    port: bound,
    connectionString: `esdb://${host.includes(':') ? `[${host}]` : host}:${bound}?tls=${options.tls ? 'true' : 'false'}`,
    async close() {
      calls.failAll();
      await shutDown(server);
      closeStore();
    },
  };
}
