import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { gzip, constants } from 'node:zlib';
import { isStream, type Answer, type StreamAnswer } from './answer';
import { readBody, type ReadBody } from './body';
import type { FairnessHeaders } from './fairness';
import type { HttpLimits } from './limits';
import { peerCertificateOf } from './peer-certificate';
import type { RequestAudit } from '../audit/request-audit';
import type { PeerCertificate } from '../authentication/client-certificates';
import { sinkOf } from './response-sink';

export type Incoming = IncomingMessage | Http2ServerRequest;
export type Outgoing = ServerResponse | Http2ServerResponse;

/** Longer bodies are sent in chunks, their length unsaid, as Go's server does. */
const lengthSaidMax = 2048;
/** Bodies from this size on are compressed when the client asks (upstream: 128 KiB, fastest level). */
const gzipMin = 128 * 1024;
/** Of a long body over HTTP/1.1, what is sent last, bytes: far less than a socket's buffer. */
const tailMax = 4096;
const compress = promisify<Buffer, object, Buffer>(gzip);

/** One request and its answer, over either version of HTTP. */
export class Exchange {
  private body: Promise<ReadBody> | undefined;
  /** What is said of how the request was let in; absent before that is known. */
  fairness: FairnessHeaders | undefined;
  /** What is recorded of it; absent: nothing. */
  audit: RequestAudit | undefined;
  /** The body did not come in time: who waits for its end waits in vain. */
  private isCutOff = false;

  constructor(
    private readonly request: Incoming,
    private readonly response: Outgoing,
    readonly auditId: string,
    private readonly limits: Pick<HttpLimits, 'bodyMs' | 'answerMs'>,
  ) {
    // A client that goes away in the middle is no error of ours; unheard, it would end the process.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  }

  get method(): string {
    return this.request.method ?? 'GET';
  }

  get target(): string {
    return this.request.url ?? '/';
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  /** The answer cannot go out any more, or has. */
  get isGone(): boolean {
    return this.response.destroyed;
  }

  /** The certificate that the client has shown; undefined: none. */
  get peerCertificate(): PeerCertificate | undefined {
    const socket = 'stream' in this.request ? this.request.stream.session?.socket : this.request.socket;
    return peerCertificateOf(socket as TLSSocket | undefined);
  }

  /** Each header as often as it was sent: name and value in turn. */
  get rawHeaders(): readonly string[] {
    return this.request.rawHeaders;
  }

  /** Names by which the client called the server: one, of a client that can be trusted. */
  get hosts(): string[] {
    const { headers, rawHeaders } = this.request;
    const authority = headers[':authority'];
    if (typeof authority === 'string') return [authority];
    const hosts: string[] = [];
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at] as string;
      if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] as string);
    }
    return hosts;
  }

  get headerCount(): number {
    return this.request.rawHeaders.length / 2;
  }

  /** Address of the client. */
  get from(): string | undefined {
    return this.request.socket.remoteAddress;
  }

  /** Called when the answer is out, or nobody is there any more to take it. */
  whenGone(callback: () => void): void {
    if (this.response.destroyed) callback();
    else this.response.once('close', callback);
  }

  async readBody(): Promise<ReadBody> {
    this.body ??= readBody(this.request, this.limits.bodyMs);
    const body = await this.body;
    this.isCutOff ||= body.kind === 'too-slow';
    return body;
  }

  async send(handled: Answer | StreamAnswer): Promise<void> {
    if (isStream(handled)) this.sendStream(handled);
    else await this.sendAnswer(handled);
  }

  private async sendAnswer(answer: Answer): Promise<void> {
    let body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
    const headers = this.headersWith(answer);
    if (answer.compressible && body.length >= gzipMin && acceptsGzip(this.headers['accept-encoding'])) {
      body = await compress(body, { level: constants.Z_BEST_SPEED });
      headers['Content-Encoding'] = 'gzip';
      headers.Vary = 'Accept-Encoding';
    }
    if (this.response.destroyed) return;
    const bare = answer.status === 204 || answer.status === 304;
    if (!bare && (answer.isFile || body.length <= lengthSaidMax)) headers['Content-Length'] = body.length;
    if (this.isCutOff && this.request.httpVersionMajor === 1) headers.Connection = 'close';
    this.writeHead(answer.status, headers);
    const timer = setTimeout(() => this.response.destroy(), this.limits.answerMs);
    this.response.once('close', () => clearTimeout(timer));
    if (bare || this.method === 'HEAD') this.response.end();
    else if (this.request.httpVersionMajor === 1 && body.length > tailMax) await this.sendWithTail(body);
    else this.response.end(body);
  }

  /**
   * The end of a long body goes out when the rest has: while Node counts more than a socket's buffer of an answer as waiting, it pauses the
   * parser, and a next request that is already there, its body in the same packet, is then broken off with HPE_PAUSED.
   */
  private async sendWithTail(body: Buffer): Promise<void> {
    const response = this.response as ServerResponse;
    const end = body.length - tailMax;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(body.subarray(0, end), () => resolve());
    });
    if (!response.destroyed) response.end(body.subarray(end));
  }

  private headersWith({ headers: own, contentType }: Answer | StreamAnswer): OutgoingHttpHeaders {
    const { fairness } = this;
    const headers: OutgoingHttpHeaders = { 'Audit-Id': this.auditId, 'Cache-Control': 'no-cache, private' };
    if (fairness) {
      headers['X-Kubernetes-Pf-Flowschema-Uid'] = fairness['X-Kubernetes-Pf-Flowschema-Uid'];
      headers['X-Kubernetes-Pf-Prioritylevel-Uid'] = fairness['X-Kubernetes-Pf-Prioritylevel-Uid'];
    }
    if (own) Object.assign(headers, own);
    if (contentType !== undefined) headers['Content-Type'] = contentType;
    return headers;
  }

  private sendStream(answer: StreamAnswer): void {
    const { response } = this;
    if (response.destroyed) return;
    this.writeHead(answer.status, this.headersWith(answer));
    // Clients wait for the headers before they believe in a watch, event or none.
    (response as ServerResponse).flushHeaders();
    answer.open(sinkOf(response));
  }

  private writeHead(status: number, headers: OutgoingHttpHeaders): void {
    const response = this.response as ServerResponse;
    const isOld = this.request.httpVersionMajor === 1;
    // Persistence is HTTP/1.1's default; Node would say so in every answer.
    if (isOld) response.removeHeader('Connection');
    response.writeHead(status, isOld && !response.shouldKeepAlive ? { Connection: 'close', ...headers } : headers);
  }
}

function acceptsGzip(header: string | string[] | undefined): boolean {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text.split(',').some((part) => part.trim().split(';')[0] === 'gzip');
}
