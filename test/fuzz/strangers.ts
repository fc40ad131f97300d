// Requests that want a connection of their own: broken ones, watches, WebSockets; and those over HTTP/2.
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';
import { AnswerReader, type FuzzAnswer } from './answer';
import { patienceMs, type Answered, type Place } from './pipeline';
import type { FuzzRequest } from './requests';
import { serialized } from './wire';

/** A stream is listened to for so long, ms: its server ends it earlier, or is left. */
const listenedMs = 3_000;
/** What came broken and waits for more is left alone by its sender after this, ms. */
const leftMs = 300;

/** A ping comes back within this, ms. */
const pingMs = 5_000;

/** Sends one request, and goes. Resolves when it is answered, or the connection has ended. */
export function sendAlone(place: Place, request: FuzzRequest, answered: Answered): Promise<void> {
  const { host, port, token } = place;
  const bytes = request.raw
    ? Buffer.from(request.raw.toString('latin1').replace('@token@', token), 'latin1')
    : serialized(request, `${host}:${port}`, token);
  return new Promise((resolve) => {
    const reader = new AnswerReader();
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      socket.write(bytes);
      // Whoever sends half a request and says no more is waited for by the server; here it hangs up.
      if (request.raw) setTimeout(() => socket.end(), leftMs);
    });
    let answer: FuzzAnswer | undefined;
    let problem: string | undefined;
    const timer = setTimeout(
      () => {
        if (!request.raw && !request.path.includes('watch')) problem = `not answered within ${patienceMs / 1000} s`;
        socket.destroy();
      },
      request.raw || request.path.includes('watch') ? listenedMs : patienceMs,
    );
    const read = (isOver: boolean): void => {
      if (answer) return;
      try {
        answer = reader.next(request.method === 'HEAD', isOver);
      } catch (error) {
        problem = (error as Error).message;
        socket.destroy();
      }
      if (answer && !request.raw) socket.destroy();
    };
    socket.on('data', (data: Buffer) => {
      reader.push(data);
      read(false);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      read(true);
      answered(request, answer, problem);
      resolve();
    });
  });
}

/** Asks for a WebSocket, says something strange, and goes. */
export function sendOverWebSocket({ host, port, token }: Place, request: FuzzRequest, answered: Answered): Promise<void> {
  return new Promise((resolve) => {
    const protocols = [[], ['v5.channel.k8s.io'], ['v4.channel.k8s.io', 'nonsense'], ['base64.channel.k8s.io']][request.index % 4];
    const headers = {
      authorization: `Bearer ${token}`,
      'user-agent': `f/${request.index}`,
      origin: request.index % 5 === 0 ? 'null' : 'https://x',
    };
    const socket = new WebSocket(`wss://${host}:${port}${request.path}`, protocols, { rejectUnauthorized: false, headers });
    let status = 0;
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => socket.terminate(), listenedMs);
    socket.on('open', () => {
      status = 101;
      for (const text of ['\0x', '\x04{"Width":1}', '\xff\x05', ''])
        socket.send(Buffer.from(text, 'latin1'), { binary: request.index % 3 > 0 });
      setTimeout(() => (request.index % 2 === 0 ? socket.close() : socket.terminate()), leftMs);
    });
    socket.on('unexpected-response', (_, response) => {
      status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => socket.terminate());
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      // What it says was held against other tests; here it is enough that it says something.
      answered(request, status === 0 ? undefined : { status, contentType: '', closes: true, body: Buffer.concat(chunks) });
      resolve();
    });
  });
}

/** One session that requests share. */
export class Http2Line {
  private session: ClientHttp2Session | undefined;

  constructor(
    private readonly place: Place,
    private readonly answered: Answered,
  ) {}

  send(request: FuzzRequest): Promise<void> {
    const { host, port, token } = this.place;
    if (!this.session || this.session.destroyed || this.session.closed) {
      this.session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
      this.session.on('error', () => undefined);
    }
    const { session } = this;
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}`, ...Object.fromEntries(request.headers) };
      let answer: FuzzAnswer | undefined;
      const chunks: Buffer[] = [];
      const finish = (problem?: string): void => {
        this.answered(request, answer && { ...answer, body: Buffer.concat(chunks) }, answer ? undefined : problem);
        resolve();
      };
      try {
        const stream = session.request(
          { ...headers, ':method': request.method, ':path': request.path },
          { endStream: request.body === undefined },
        );
        let isDeaf = false;
        const timer = setTimeout(() => {
          isDeaf = true;
          stream.close();
          // Node's client sometimes reads nothing more on a session; then no stream of it ever ends by itself, and no ping comes back.
          session.ping(() => (isDeaf = false));
          setTimeout(() => session.destroy(), pingMs);
        }, patienceMs);
        stream.on('response', (got) => {
          answer = { status: Number(got[':status']), contentType: String(got['content-type'] ?? ''), closes: false, body: Buffer.alloc(0) };
        });
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('error', () => undefined);
        stream.on('close', () => {
          clearTimeout(timer);
          finish(isDeaf ? undefined : 'the stream was closed without an answer');
        });
        if (request.body) stream.end(request.body);
      } catch {
        // Our own client does not send that.
        finish();
      }
    });
  }

  close(): void {
    this.session?.destroy();
  }
}
