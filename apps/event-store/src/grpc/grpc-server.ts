import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { GrpcCall } from './grpc-call';
import { code } from './status';

export interface GrpcServerOptions {
  /** PEM; absent: without TLS. */
  tls?: { certificate: string; key: string };
  /** Of one message. */
  receiveBytesMax: number;
}

export type CallHandler = (call: GrpcCall) => void;

/** What clients may send before it is read, so that a large append need not wait: on a call, and on all calls of a connection. */
const CALL_WINDOW_BYTES = 1024 * 1024;
const CONNECTION_WINDOW_BYTES = 16 * 1024 * 1024;
/** Open calls of one connection; a client waits with more. */
const CALLS_MAX = 10_000;
/** Of one connection, MiB: calls, what they have been sent and have not read yet. */
const SESSION_MEMORY_MIB = 256;
const CLOSE_GRACE_MS = 1000;

/** gRPC over HTTP/2: calls by their path, `/package.Service/Method`. */
export class GrpcServer {
  private readonly server: Http2Server | Http2SecureServer;
  private readonly sessions = new Set<ServerHttp2Session>();
  private readonly services: ReadonlySet<string>;

  constructor(
    private readonly handlers: ReadonlyMap<string, CallHandler>,
    private readonly options: GrpcServerOptions,
  ) {
    this.services = new Set([...handlers.keys()].map((path) => path.slice(0, path.lastIndexOf('/'))));
    const http2 = {
      settings: { initialWindowSize: CALL_WINDOW_BYTES, maxConcurrentStreams: CALLS_MAX },
      maxSessionMemory: SESSION_MEMORY_MIB,
    };
    const { tls } = options;
    this.server = tls ? createSecureServer({ ...http2, cert: tls.certificate, key: tls.key }) : createServer(http2);
    this.server.on('session', (session: ServerHttp2Session) => {
      this.sessions.add(session);
      session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
      session.on('close', () => this.sessions.delete(session)).on('error', () => undefined);
    });
    this.server.on('sessionError', () => undefined);
    this.server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => this.accept(stream, headers));
  }

  /** @returns the port */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, host, () => {
        this.server.off('error', reject);
        this.server.on('error', () => undefined);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Ends connections once their calls have ended, or after a second whatever they do. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const session of this.sessions) session.close();
    const force = setTimeout(() => {
      for (const session of this.sessions) session.destroy();
    }, CLOSE_GRACE_MS);
    await closed;
    clearTimeout(force);
  }

  private accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    if (headers[':method'] !== 'POST' || !String(headers['content-type'] ?? '').startsWith('application/grpc')) {
      stream.on('error', () => undefined).resume();
      stream.respond({ ':status': 415 }, { endStream: true });
      return;
    }
    const path = String(headers[':path'] ?? '');
    const call = new GrpcCall(stream, headers, this.options.receiveBytesMax);
    const handler = this.handlers.get(path);
    if (handler) {
      handler(call);
      return;
    }
    const known = this.services.has(path.slice(0, path.lastIndexOf('/')));
    call.end({ code: code.UNIMPLEMENTED, details: known ? 'Method is unimplemented.' : 'Service is unimplemented.' });
  }
}
