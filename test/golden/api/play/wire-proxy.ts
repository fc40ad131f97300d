// Between a kubectl and an API server: passes everything on and keeps what went by.
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { WireRequest } from '../recording';
import type { Target } from './client';

/** Media type of bodies that are not kept as text, and what stands in their place. */
const protobuf = 'application/vnd.kubernetes.protobuf';
const protobufBody = '(protobuf)';

export class WireProxy {
  /** What went by since `take` was called last. */
  private seen: WireRequest[] = [];
  private readonly server: Server;
  private readonly behind: Target;

  private constructor(behind: Target) {
    this.behind = behind;
    this.server = createServer((request, response) => void this.pass(request, response));
    this.server.on('upgrade', (request, socket) => void this.upgrade(request, socket as Socket));
  }

  static async before(behind: Target): Promise<WireProxy> {
    const proxy = new WireProxy(behind);
    await new Promise<void>((done) => proxy.server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get target(): Target {
    return { url: `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`, token: this.behind.token };
  }

  take(): WireRequest[] {
    const taken = this.seen;
    this.seen = [];
    return taken;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kept = this.keep(request);
    const body = await bytesOf(request);
    if (body.length > 0) kept.body = kept.headers?.['Content-Type'] === protobuf ? protobufBody : body.toString('utf8');
    const answer = await this.send(request, body).catch((error: Error) => error);
    if (answer instanceof Error) {
      response.destroy(answer);
      return;
    }
    note(kept, answer);
    response.writeHead(answer.statusCode ?? 502, withoutCaching(answer.headers));
    response.flushHeaders();
    answer.on('error', () => response.destroy());
    response.on('close', () => answer.destroy());
    answer.pipe(response);
  }

  /** As the recording's: a WebSocket does not come through, whereupon kubectl asks for SPDY in a POST; that is passed on to its refusal. */
  private async upgrade(request: IncomingMessage, socket: Socket): Promise<void> {
    const kept = this.keep(request);
    delete kept.headers;
    socket.on('error', () => socket.destroy());
    if (request.method === 'GET') {
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const answer = await this.send(request, Buffer.alloc(0)).catch((error: Error) => error);
    if (answer instanceof Error) {
      socket.destroy();
      return;
    }
    note(kept, answer);
    const text = await bytesOf(answer);
    const type = answer.headers['content-type'] ?? 'text/plain';
    socket.write(
      `HTTP/1.1 ${answer.statusCode} Refused\r\nContent-Type: ${type}\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n`,
    );
    socket.end(text);
  }

  private keep(request: IncomingMessage): WireRequest {
    const { method = 'GET', url = '/', headers } = request;
    const kept: WireRequest = { method, url, status: 0, headers: {} };
    if (headers.accept !== undefined) Object.assign(kept.headers as object, { Accept: headers.accept });
    if (headers['content-type'] !== undefined) Object.assign(kept.headers as object, { 'Content-Type': headers['content-type'] });
    this.seen.push(kept);
    return kept;
  }

  private send(request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    const url = new URL(this.behind.url);
    const { host: _host, ...others } = request.headers;
    // kubectl keeps credentials to itself where there is no TLS.
    const headers = { ...others, authorization: `Bearer ${this.behind.token}` };
    const options = { method: request.method, hostname: url.hostname, port: url.port, path: request.url, headers, ca: this.behind.ca };
    return new Promise((resolve, reject) => {
      const outgoing = (url.protocol === 'http:' ? httpRequest : httpsRequest)(options, resolve);
      outgoing.on('upgrade', (_answer, socket) => {
        socket.destroy();
        reject(new Error('the server switched protocols'));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}

/** The recorded kubectl kept no documents: whatever it asked for came anew, so nothing told it that it might. */
function withoutCaching({
  etag: _etag,
  'cache-control': _control,
  expires: _expires,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers;
}

function note(kept: WireRequest, answer: IncomingMessage): void {
  kept.status = answer.statusCode ?? 0;
  const type = answer.headers['content-type'];
  if (type !== undefined) kept.responseType = type;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
