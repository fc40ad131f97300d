// HTTP/1.1 to one API server, with kept-alive connections, and watches as streams of lines.
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { RecordedRequest } from '../recording';

export interface Target {
  url: string;
  token: string;
  /** PEM; absent for plain HTTP. */
  ca?: string;
}

export interface Answer {
  status: number;
  /** Names in lower case; a header sent several times has several values. */
  headers: ReadonlyMap<string, readonly string[]>;
  body: Buffer;
}

const answerWithin = 30_000;

/** `limit=2&labelSelector=a in (b)` as recorded, decoded, to what goes on the wire. */
export function encodeQuery(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      const encode = (text: string) => encodeURIComponent(text).replace(/%2C/g, ',');
      return at < 0 ? encode(pair) : `${encode(pair.slice(0, at))}=${encode(pair.slice(at + 1))}`;
    })
    .join('&');
}

function headersOf(message: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = (message.rawHeaders[index] ?? '').toLowerCase();
    const value = message.rawHeaders[index + 1] ?? '';
    const known = headers.get(name);
    if (known === undefined) headers.set(name, [value]);
    else known.push(value);
  }
  return headers;
}

export class Client {
  readonly target: Target;
  private readonly agent: HttpAgent | HttpsAgent;
  private readonly base: URL;

  constructor(target: Target) {
    this.target = target;
    this.base = new URL(target.url);
    this.agent = this.base.protocol === 'http:' ? new HttpAgent({ keepAlive: true }) : new HttpsAgent({ keepAlive: true, ca: target.ca });
  }

  close(): void {
    this.agent.destroy();
  }

  /** Sends and reads the whole answer. Rejects when there is none within 30 s. */
  async send(recorded: RecordedRequest, raw?: Buffer): Promise<Answer> {
    const message = await this.begin(recorded, raw);
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    return { status: message.statusCode ?? 0, headers: headersOf(message), body: Buffer.concat(chunks) };
  }

  /** Sends and answers once the headers are there; the body comes as frames. */
  async watch(recorded: RecordedRequest): Promise<WatchStream> {
    return new WatchStream(await this.begin(recorded));
  }

  private begin(recorded: RecordedRequest, raw?: Buffer): Promise<IncomingMessage> {
    const body = raw ?? bodyOf(recorded.body);
    const options: RequestOptions = {
      agent: this.agent,
      method: recorded.method,
      protocol: this.base.protocol,
      hostname: this.base.hostname,
      port: this.base.port,
      path: `${recorded.path}${recorded.query === undefined ? '' : `?${encodeQuery(recorded.query)}`}`,
      headers: this.headersFor(recorded, body),
    };
    return this.dispatch(options, body);
  }

  /** Tries again when the server had closed the idle connection that was to be used again. */
  private dispatch(options: RequestOptions, body: Buffer | undefined): Promise<IncomingMessage> {
    const send = this.base.protocol === 'http:' ? httpRequest : httpsRequest;
    return new Promise((resolve, reject) => {
      const outgoing = send(options, resolve);
      const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${answerWithin / 1000} s`)), answerWithin);
      outgoing.on('response', () => clearTimeout(timer));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(this.dispatch(options, body));
        else reject(error);
      });
      outgoing.on('upgrade', (message, socket) => {
        clearTimeout(timer);
        socket.destroy();
        reject(new Error(`answered ${message.statusCode} and switched protocols`));
      });
      outgoing.end(body);
    });
  }

  private headersFor(recorded: RecordedRequest, body: Buffer | undefined): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = { 'User-Agent': 'golden/1.0', Accept: 'application/json' };
    if (recorded.credentials !== 'none') headers['Authorization'] = `Bearer ${this.target.token}`;
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = String(body.length);
    }
    for (const [name, value] of Object.entries(recorded.headers ?? {})) {
      const known = Object.keys(headers).find((key) => key.toLowerCase() === name.toLowerCase());
      headers[known ?? name] = value;
    }
    return headers;
  }
}

function bodyOf(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An answer that goes on; every line is a frame. */
export class WatchStream {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly frames: string[] = [];
  ended = false;
  /** Called for every frame, as it arrives, and at the end. */
  onChange: () => void = () => undefined;
  private rest = '';
  private readonly message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.message = message;
    this.status = message.statusCode ?? 0;
    this.headers = headersOf(message);
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => this.take(chunk));
    message.on('close', () => this.finish());
    message.on('error', () => this.finish());
  }

  close(): void {
    this.message.destroy();
  }

  private take(chunk: string): void {
    const lines = `${this.rest}${chunk}`.split('\n');
    this.rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.frames.push(line);
    this.onChange();
  }

  private finish(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.rest !== '') this.frames.push(this.rest);
    this.rest = '';
    this.onChange();
  }
}
