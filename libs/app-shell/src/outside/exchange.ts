import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type Agent } from 'node:https';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import type { Deadline } from './deadline';
import { goHeadError, goNetworkError } from './go-errors';

/** One request, and where it goes. */
export interface Exchange {
  readonly agent: Agent;
  readonly method: 'POST' | 'GET';
  readonly host: string;
  readonly port: number;
  readonly serverName?: string;
  readonly path: string;
  readonly authority: string;
  readonly body?: string;
  readonly deadline: Deadline;
}

export interface Exchanged {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
  readonly location?: string;
  /** Seconds, where the answer says how long to wait. */
  readonly retryAfter?: number;
}

/** Bytes of an answer that are read at most, and of its head (Go's client: 10 MB). */
const bodyMax = 16 * 2 ** 20;
const headMax = 10 * 2 ** 20;
/** Bytes of a head that are kept to tell what was wrong with it. */
const toldMax = 64 * 2 ** 10;

/** Never rejects. `failed`: there is no answer, told with the URL; `error`: one had begun, told without. */
export function exchange(options: Exchange): Promise<Exchanged | { failed: string } | { error: string }> {
  const { agent, method, host, port, serverName, path, deadline, body } = options;
  return new Promise((done) => {
    let answer: IncomingMessage | undefined;
    let socket: Socket | undefined;
    let own = '';
    let head = Buffer.alloc(0);
    const heard = (chunk: Buffer): void => {
      if (head.length < toldMax) head = Buffer.concat([head, chunk]);
    };
    const end = (result: Exchanged | { failed: string } | { error: string }): void => {
      takeBack();
      socket?.off('data', heard);
      done(result);
    };
    const broken = (why: string): void =>
      end({ error: `unexpected error when reading response body. Please retry. Original error: ${why}` });
    const request = httpsRequest(
      {
        agent,
        method,
        host,
        port,
        ...(serverName === undefined ? {} : { servername: serverName }),
        path,
        maxHeaderSize: headMax,
        headers: headersOf(options),
      },
      (response) => {
        answer = response;
        socket?.off('data', heard);
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (size > bodyMax) request.destroy(new Error(`the answer is larger than ${bodyMax} bytes`));
        });
        response.on('end', () => {
          const read = unpacked(Buffer.concat(chunks), response.headers['content-encoding']);
          if (typeof read === 'string') broken(read);
          else end(exchanged(response, read));
        });
        response.on('error', () => broken('unexpected EOF'));
      },
    );
    request.on('socket', (given) => {
      socket = given;
      const connected = (): void => void (own = `${given.localAddress}:${given.localPort}`);
      if (given.connecting) given.once('connect', connected);
      else connected();
      given.prependListener('data', heard);
    });
    const giveUp = (): void => {
      if (answer) broken(deadline.why);
      else end({ failed: deadline.why });
      request.destroy();
    };
    const takeBack = deadline.whenOver(giveUp);
    request.on('error', (error) => {
      // What comes behind a whole answer is nothing to do with it.
      if (answer?.complete) return;
      if (answer) broken('unexpected EOF');
      else end({ failed: goHeadError(error, head) ?? goNetworkError(error, { host, port, own }) });
    });
    if (deadline.isOver) giveUp();
    else request.end(body);
  });
}

function headersOf({ authority, body }: Exchange): Record<string, string | number> {
  return {
    Host: authority,
    'User-Agent': 'kube-apiserver-admission',
    ...(body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }),
    Accept: 'application/json, */*',
    'Content-Type': 'application/json',
    'Accept-Encoding': 'gzip',
  };
}

function exchanged({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Exchanged {
  const { location, 'content-type': contentType, 'retry-after': retryAfter } = headers;
  return {
    status: statusCode,
    body: body.toString('utf8'),
    ...(contentType === undefined ? {} : { contentType }),
    ...(location === undefined ? {} : { location }),
    ...(/^\d+$/.test(retryAfter ?? '') ? { retryAfter: Number(retryAfter) } : {}),
  };
}

/** The body as it was before it was packed, or what Go says of one that was not. */
function unpacked(body: Buffer, encoding: string | undefined): Buffer | string {
  if (encoding !== 'gzip' || body.length === 0) return body;
  if (body[0] !== 0x1f || body[1] !== 0x8b) return 'gzip: invalid header';
  try {
    return gunzipSync(body, { maxOutputLength: bodyMax });
  } catch {
    return 'unexpected EOF';
  }
}
