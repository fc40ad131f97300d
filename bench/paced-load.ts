import { connect, type TLSSocket } from 'node:tls';
import type { Running } from './running-cluster';

/** A request as it goes over the wire. */
export interface PacedRequest {
  method: string;
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
}

export interface PacedLoad {
  /** From the moment at which each request was due to its last byte, ms. */
  times: number[];
  /** Of the last answer's body. */
  bytes: number;
}

/** Connections that are kept: at a thousand requests a second each has a few milliseconds for one. */
const connectionsCount = 16;

/**
 * Sends requests at a steady rate, each when it is due and not when the one before is answered.
 *
 * It writes what was made beforehand to sockets that are open, and looks in an answer for its end alone: a client that makes and parses
 * requests as an application does takes as long for each as the server, and what is measured would be its own queue.
 */
export async function pacedLoad(running: Running, requests: readonly PacedRequest[], ratePerSecond: number): Promise<PacedLoad> {
  const wire = requests.map((request) => wireOf(running, request));
  const idle = await Promise.all(Array.from({ length: connectionsCount }, () => Connection.open(running)));
  const all = [...idle];
  const times: number[] = [];
  const waiting: number[] = [];
  let bytes = 0;
  let sent = 0;
  const began = performance.now();
  const dueAt = (i: number): number => began + (i * 1000) / ratePerSecond;
  try {
    await new Promise<void>((resolve, reject) => {
      const serve = (connection: Connection, i: number): void => {
        connection.ask(wire[i] as Buffer, (code, length) => {
          if (code >= 300) return reject(new Error(`${requests[i]?.method} ${requests[i]?.path} answered ${code}`));
          times.push(performance.now() - dueAt(i));
          bytes = length;
          if (times.length === wire.length) return resolve();
          const next = waiting.shift();
          if (next === undefined) idle.push(connection);
          else serve(connection, next);
        });
      };
      for (const each of all) each.failed = reject;
      const tick = (): void => {
        const now = performance.now();
        for (; sent < wire.length && dueAt(sent) <= now; sent++) {
          const connection = idle.pop();
          if (connection) serve(connection, sent);
          else waiting.push(sent);
        }
        if (sent < wire.length) setTimeout(tick, 1);
      };
      tick();
    });
  } finally {
    for (const each of all) each.close();
  }
  return { times, bytes };
}

function wireOf({ url, token }: Running, { method, path, body, headers = {} }: PacedRequest): Buffer {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${url.host}`, `authorization: Bearer ${token}`];
  if (text) lines.push(`content-length: ${Buffer.byteLength(text)}`);
  if (text && !headers['content-type']) lines.push('content-type: application/json');
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`);
}

type Answered = (code: number, bytes: number) => void;

/** One request at a time on a connection. */
class Connection {
  failed: (error: Error) => void = () => undefined;
  private received: Buffer[] = [];
  private receivedBytes = 0;
  /** Of the answer that is coming, once it is there whole. */
  private head: Head | undefined;
  private answered: Answered = () => undefined;

  private constructor(private readonly socket: TLSSocket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => this.take(chunk));
    socket.on('error', (error) => this.failed(error));
  }

  static open({ url, ca }: Running): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: url.hostname, port: Number(url.port), ca, ALPNProtocols: ['http/1.1'] });
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(new Connection(socket)));
    });
  }

  ask(wire: Buffer, answered: Answered): void {
    this.answered = answered;
    this.socket.write(wire);
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received.push(chunk);
    this.receivedBytes += chunk.length;
    this.head ??= this.readHead();
    if (!this.head || !this.hasEnded(this.head)) return;
    const { bytes, code } = this.head;
    const body = this.receivedBytes - bytes;
    this.received = [];
    this.receivedBytes = 0;
    this.head = undefined;
    this.answered(code, body);
  }

  private readHead(): Head | undefined {
    const text = (this.received.length === 1 ? (this.received[0] as Buffer) : Buffer.concat(this.received)).toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end + 2));
    return { bytes: end + 4, code: Number(text.slice(9, 12)), body: length ? Number(length[1]) : undefined };
  }

  private hasEnded({ bytes, body }: Head): boolean {
    if (body !== undefined) return this.receivedBytes >= bytes + body;
    const tail = Buffer.concat(this.received.slice(-2));
    return tail.subarray(-lastChunk.length).equals(lastChunk);
  }
}

interface Head {
  bytes: number;
  code: number;
  /** How long the body is; undefined when it comes in chunks. */
  body: number | undefined;
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n');
