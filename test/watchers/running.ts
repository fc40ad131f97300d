import { connect as connectHttp2, constants, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { Agent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { WebSocket } from 'ws';
import { RunningCluster } from '../e2e/running-cluster';
import { FrameSplitter, WatchRefusedError, type Answered, type Connection, type Server, type Transport } from './server';

/** How the process is started in each of its lives. */
export interface Life {
  flags: readonly string[];
  /** Ends with `kill -9`, otherwise as on Ctrl-C. */
  isKilled: boolean;
}

const sockets = 32;

/** `kubereel up` as a user starts it, over TLS. */
export class RunningServer implements Server {
  private agent = new Agent({ keepAlive: true, maxSockets: sockets, rejectUnauthorized: false });
  private session: ClientHttp2Session | undefined;

  private constructor(
    readonly folder: string,
    private readonly lives: Iterator<Life>,
    private life: Life,
    private cluster: RunningCluster,
  ) {}

  /** @param lives one after the other; the last is the first that ends by itself */
  static async start(lives: Iterable<Life>): Promise<RunningServer> {
    const iterator = lives[Symbol.iterator]();
    const folder = RunningCluster.temporaryFolder();
    const first = nextLife(iterator);
    return new RunningServer(folder, iterator, first, await RunningCluster.start(folder, ...first.flags));
  }

  get pid(): number {
    return this.cluster.ready()?.pid ?? 0;
  }

  private get place(): { host: string; port: string } {
    const { hostname, port } = new URL(this.url);
    return { host: hostname, port };
  }

  private get url(): string {
    return this.cluster.url;
  }

  private get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.cluster.bearer}` };
  }

  request(method: string, path: string, headers: Record<string, string> = {}, body?: string): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const all = { ...this.headers, accept: 'application/json', ...headers, ...length };
      const sent = httpsRequest({ agent: this.agent, ...this.place, method, path, headers: all }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
        response.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  watch(path: string, accept: string, transport: Transport): Promise<Connection> {
    if (transport === 'websocket') return this.overWebSocket(path, accept);
    return transport === 'http2' ? this.overHttp2(path, accept) : this.overHttp1(path, accept);
  }

  private overHttp1(path: string, accept: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.headers, accept };
      const sent = httpsRequest({ agent: false, rejectUnauthorized: false, ...this.place, path, headers }, (response) => {
        if (response.statusCode !== 200) return void refuse(response, response.statusCode ?? 0, reject);
        resolve(new StreamConnection(response, String(response.headers['content-type']), () => sent.destroy()));
      });
      sent.on('error', reject);
      sent.end();
    });
  }

  /** All of them share a connection, as those of client-go do. */
  private overHttp2(path: string, accept: string): Promise<Connection> {
    if (!this.session || this.session.closed || this.session.destroyed) {
      this.session = connectHttp2(this.url, { rejectUnauthorized: false });
      this.session.on('error', () => undefined);
    }
    const { session } = this;
    return new Promise((resolve, reject) => {
      const stream: ClientHttp2Stream = session.request({ ':path': path, accept, ...this.headers });
      stream.on('error', reject);
      stream.on('close', () => reject(new Error('closed before it was answered')));
      stream.on('response', (headers) => {
        const status = headers[':status'] ?? 0;
        if (status !== 200) return void refuse(stream, status, reject);
        resolve(new StreamConnection(stream, String(headers['content-type']), () => stream.close(constants.NGHTTP2_CANCEL)));
      });
      stream.end();
    });
  }

  private overWebSocket(path: string, accept: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const url = `${this.url.replace('https:', 'wss:')}${path}`;
      const socket = new WebSocket(url, [], { rejectUnauthorized: false, headers: { ...this.headers, accept, origin: this.url } });
      const connection = new SocketConnection(socket);
      socket.on('open', () => resolve(connection));
      socket.on('unexpected-response', (_, response) => void refuse(response, response.statusCode ?? 0, reject));
      socket.on('error', reject);
    });
  }

  handOver(): void {
    // It does that by itself.
  }

  pass(): void {
    // Its time is everybody's.
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async restart(during?: Promise<unknown>): Promise<void> {
    const { isKilled } = this.life;
    if (!isKilled) await during;
    await this.cluster.stop(isKilled ? 'SIGKILL' : 'SIGTERM');
    await during;
    this.hangUp();
    this.life = nextLife(this.lives);
    this.cluster = await RunningCluster.start(this.folder, ...this.life.flags);
    this.agent = new Agent({ keepAlive: true, maxSockets: sockets, rejectUnauthorized: false });
  }

  private hangUp(): void {
    this.agent.destroy();
    this.session?.destroy();
    this.session = undefined;
  }

  async close(): Promise<void> {
    this.hangUp();
    await this.cluster.stop();
  }

  remove(): void {
    this.cluster.remove();
  }
}

function nextLife(lives: Iterator<Life>): Life {
  const { value, done } = lives.next();
  if (done) throw new Error('no life is left');
  return value;
}

function refuse(stream: Readable, status: number, reject: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => reject(new WatchRefusedError(status, Buffer.concat(chunks).toString('utf8'))));
}

/** The body of an answer. */
class StreamConnection implements Connection {
  isOver = false;
  private frames: Buffer[] = [];

  constructor(
    private readonly stream: Readable,
    contentType: string,
    private readonly breakOff: () => void,
  ) {
    const splitter = new FrameSplitter(contentType.includes('protobuf'));
    stream.on('data', (bytes: Buffer) => splitter.push(bytes, this.frames));
    for (const event of ['end', 'error', 'close'] as const) stream.on(event, () => (this.isOver = true));
  }

  take(): Buffer[] {
    const { frames } = this;
    this.frames = [];
    return frames;
  }

  dawdle(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  close(): void {
    this.stream.removeAllListeners('data');
    this.breakOff();
  }
}

/** Each message a frame. */
class SocketConnection implements Connection {
  isOver = false;
  private frames: Buffer[] = [];

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.frames.push(trimmed(data)));
    socket.on('close', () => (this.isOver = true));
  }

  take(): Buffer[] {
    const { frames } = this;
    this.frames = [];
    return frames;
  }

  dawdle(): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  close(): void {
    this.socket.removeAllListeners('message');
    this.socket.on('error', () => undefined);
    this.socket.terminate();
  }
}

/** JSON ends with a line break over a WebSocket too. */
function trimmed(data: Buffer): Buffer {
  return data.at(-1) === 10 && data[0] === 0x7b ? data.subarray(0, -1) : data;
}
