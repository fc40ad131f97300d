import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { APPEND_BYTES_MAX, LogUnavailableError, openEventStore, type EventStore, type NewEvent, type Payload } from '#libs/event-log';
import { Gate } from './access';
import { appendHandler } from './append';
import { batchAppendHandler } from './batch-append';
import { deleteHandler } from './delete';
import { gossipHandler, supportedMethods } from './discovery';
import type { EventStoreServer, EventStoreServerOptions, ServerTls } from './server-options';
import { answerRead } from './read';
import { readRequest, streamAskedFor } from './read-request';
import { ReplyStream } from './reply-stream';
import { WireSubscription } from './subscribe';
import type { ReadRequestMessage } from './wire/messages';
import { loadProtocol } from './wire/protocol';

/** Of one message, as real servers take it: somewhat less than 16 MiB. Clients cut appends into messages of 3 MiB. */
const RECEIVE_BYTES_MAX = 16 * 1024 * 1024 - 10_000;
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

function readHandler(store: EventStore<Payload>, calls: OpenCalls, gate: Gate) {
  return (call: ServerWritableStream<ReadRequestMessage, object>): void => {
    let over: () => void = () => undefined;
    const replies = new ReplyStream(call, () => over());
    const forget = calls.add(replies);
    over = forget;
    try {
      const caller = gate.caller(call.metadata);
      const { options } = call.request;
      gate.admit(caller, 'read', streamAskedFor(options));
      const request = readRequest(options!);
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

/** `$all` of a new node is never empty: it begins with what is to become of its statistics, here as there. */
async function beginLog(store: EventStore<Payload>, host: string, port: number): Promise<void> {
  if (store.lastPosition > 0) return;
  const event: NewEvent<Payload> = { id: randomUUID(), type: '$metadata', data: '{"$maxAge":86400}', metadata: '' };
  await store.append(`$$$stats-${host}:${port}`, [event], 'any');
}

export async function listen(options: EventStoreServerOptions): Promise<EventStoreServer> {
  const { host = '127.0.0.1', port = 0, appendBytesMax = APPEND_BYTES_MAX } = options;
  if (!options.tls !== !options.users?.length) throw new Error('TLS and users go together: give the event store both, or neither');
  const credentials = credentialsOf(options.tls);
  const store = options.store ?? (await openEventStore(options));
  const gate = new Gate(options.users, (stream) => store.acl(stream));
  const protocol = loadProtocol();
  const calls = new OpenCalls();
  let bound = port;
  const server = new Server({ 'grpc.max_receive_message_length': RECEIVE_BYTES_MAX, 'grpc.max_send_message_length': -1 });
  server.addService(protocol.services.streams, {
    Read: readHandler(store, calls, gate),
    Append: appendHandler(store, appendBytesMax, gate),
    BatchAppend: batchAppendHandler({ store, bytesMax: appendBytesMax, protocol, gate, opened: calls.add }),
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
  await beginLog(store, host, bound);
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
