import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { goNetworkError, type Backend, type BackendConnections } from '#libs/app-shell/outside';
import { badRequest, bodyTooLarge, timeout, type Failure } from '#libs/kube-api';
import type { ApiRequest } from '../api-request';
import { bodyMax } from '../http/body';
import { textAnswer, type Answer, type Handled, type StreamAnswer, type StreamSink, type Tunnel } from '../http/answer';
import type { RequestInfo } from '../request-info/request-info';
import { answerHeaders, requestHeaders, targetOf } from './passed-on';

/** Discovery is asked by everybody and should be quick, ms (upstream: `aggregatedDiscoveryTimeout`). */
const discoveryMs = 5_000;
/** From a request to the beginning of its answer, ms (upstream: `--request-timeout`). */
const answerMs = 60_000;
/** Bytes that a client may be behind before the other server has to wait. */
const waitingMax = 1024 * 1024;

/** Text as Go's `http.Error` writes it. */
export function unavailable(text = 'service unavailable'): Answer {
  return textAnswer(503, `${text}\n`);
}

const unreachable = (why: string): Answer => unavailable(`error trying to reach service: ${why}`);

/** Whether a request wants to leave HTTP. */
function isUpgrade({ connection, upgrade }: ApiRequest['headers']): boolean {
  return upgrade !== undefined && (connection ?? '').toLowerCase().includes('upgrade');
}

function isDiscovery({ path, resource }: RequestInfo): boolean {
  return resource === undefined && path.replace(/^\/+|\/+$/g, '').split('/').length === 3;
}

/** What may stand in no header: somebody may be called so all the same. */
// eslint-disable-next-line no-control-regex
const unspeakable = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** Has another server answer a request, in the name of who asks. */
export async function forward(asked: ApiRequest, backend: Backend, connections: BackendConnections): Promise<Handled | Failure> {
  const { name, uid = '', groups, extra = {} } = asked.user;
  if ([name, uid, ...groups, ...Object.values(extra).flat()].some((text) => unspeakable.test(text)))
    return unreachable('net/http: invalid header field value for "X-Remote-User"');
  if (isUpgrade(asked.headers)) return { tunnel: tunnelTo(asked, backend, connections) };
  const body = await asked.readBody();
  if (body.kind === 'too-large') return bodyTooLarge(bodyMax);
  if (body.kind === 'too-slow') return timeout('request did not complete within the allotted timeout');
  if (body.kind !== 'read') return badRequest('the body of the request ended before its end');
  const { info } = asked;
  const { bytes } = body;
  const request = begin(asked, backend, connections, bytes.length > 0 ? { 'content-length': String(bytes.length) } : {});
  request.end(bytes);
  const limitMs = isDiscovery(info) ? discoveryMs : answerMs;
  return answerOf(request, asked, backend, limitMs);
}

function begin(asked: ApiRequest, backend: Backend, connections: BackendConnections, more: Record<string, string>): ClientRequest {
  const { info, headers, user, auditId, from } = asked;
  const path = targetOf(info.path, info.query);
  const passed = requestHeaders({ headers, user, auditId, from, authority: backend.authority, path: path.split('?', 1)[0] as string });
  delete passed['content-length'];
  return connections.request(backend, { method: info.method, path, headers: { ...passed, ...more } });
}

/** Resolves with the beginning of the answer; the rest is passed on as it comes. */
function answerOf(request: ClientRequest, asked: ApiRequest, backend: Backend, limitMs: number): Promise<Handled | Failure> {
  return new Promise((resolve) => {
    const end = (handled: Handled | Failure): void => {
      clearTimeout(timer);
      resolve(handled);
    };
    const timer = setTimeout(() => {
      request.destroy();
      end(
        limitMs === discoveryMs
          ? unreachable('context deadline exceeded')
          : timeout('request did not complete within the allotted timeout'),
      );
    }, limitMs);
    // One that has been answered whole is left alone: its connection is kept.
    asked.whenGone?.(() => void request.destroy());
    request.once('response', (response) => end(passedBack(response)));
    // Later errors are those of the answer, whoever reads it hears of them.
    request.on('error', (error) => end(unreachable(goNetworkError(error, backend))));
  });
}

function passedBack(response: IncomingMessage): StreamAnswer {
  const { 'Content-Type': contentType, ...headers } = answerHeaders(response.headers);
  return {
    status: response.statusCode ?? 502,
    contentType: contentType as string | undefined,
    headers,
    open: (sink) => passOn(response, sink),
  };
}

/** Bytes of an answer, no faster than the client takes them. */
function passOn(response: IncomingMessage, sink: StreamSink): void {
  let isOver = false;
  sink.onClosed(() => {
    isOver = true;
    if (!response.complete) response.destroy();
  });
  sink.onDrained(() => void (response.isPaused() && response.resume()));
  response.on('data', (bytes: Buffer) => {
    sink.write(bytes);
    if (sink.waitingBytes > waitingMax) response.pause();
  });
  response.once('end', () => void (isOver || sink.end()));
  // The other broke off in the middle: so does this one, else what there is would be taken for all.
  response.once('error', () => void (isOver || sink.abort()));
}

/** What is spoken from now on is the other server's affair. */
function tunnelTo(asked: ApiRequest, backend: Backend, connections: BackendConnections): Tunnel {
  return () =>
    new Promise((resolve) => {
      const { upgrade = '' } = asked.headers;
      const request = begin(asked, backend, connections, { connection: 'Upgrade', upgrade: String(upgrade) });
      const timer = setTimeout(() => request.destroy(new Error('context deadline exceeded')), answerMs);
      const end = (opened: Awaited<ReturnType<Tunnel>>): void => {
        clearTimeout(timer);
        resolve(opened);
      };
      asked.whenGone?.(() => request.destroy());
      request.once('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) =>
        end({ head: headOf(response), socket, first: head }),
      );
      request.once('response', (response) => {
        const { statusCode = 0 } = response;
        if (statusCode >= 400) return end({ answer: passedBack(response) });
        request.destroy();
        return end({ answer: unavailable(`invalid upgrade response: status code ${statusCode}`) });
      });
      request.on('error', (error) => end({ answer: unavailable(goNetworkError(error, backend)) }));
      request.end();
    });
}

/** The beginning of an answer as it came. */
function headOf({ statusCode, statusMessage, rawHeaders, httpVersion }: IncomingMessage): Buffer {
  const lines = [`HTTP/${httpVersion} ${statusCode} ${statusMessage}`];
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
