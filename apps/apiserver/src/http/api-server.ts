import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { ApiserverOptions } from '#libs/app-shell';
import { LogUnavailableError } from '#libs/event-log';
import { internalError, isFailure, unauthorized } from '#libs/kube-api';
import type { Auditor } from '../audit/auditor';
import type { RequestAudit } from '../audit/request-audit';
import { unreadableTarget, type ApiHandler } from '../api-handler';
import { refusedTo } from '../authentication/authorization';
import type { Authenticator } from '../authentication/authenticator';
import { impersonated, impersonates } from '../authentication/impersonation';
import type { User } from '../authentication/user';
import { RequestMetrics } from '../metrics/request-metrics';
import { readRequestInfo, type RequestInfo } from '../request-info/request-info';
import {
  isConnect,
  isStream,
  isTunnel,
  statusAnswer,
  textAnswer,
  upgradeMissing,
  type Answer,
  type ConnectAnswer,
  type Handled,
  type StreamAnswer,
  type StreamSink,
  type TunnelAnswer,
} from './answer';
import type { ReadBody } from './body';
import { Fairness } from './fairness';
import { Exchange, type Incoming, type Outgoing } from './exchange';
import { HostNames } from './host-names';
import { RequestsInFlight, tooManyInFlight } from './in-flight';
import { closeWhenIdle } from './idle-session';
import { defaultHttpLimits, type HttpLimits } from './limits';
import { newOperation } from './operation-names';
import { lastAnswer, RequestLine } from './request-line';
import { Upgrade } from './upgrade';
import { Patience } from './write-patience';

/** Memory that one HTTP/2 connection may hold, MB: a thousand watches on one connection are fine. */
const sessionMemoryMax = 256;
const concurrentStreamsMax = 4_096;
/** Time that clients get to see the end of their streams when the server stops, ms. */
const farewellMs = 100;

/** What goes on until somebody ends it. */
type OpenStream = Pick<StreamSink, 'end' | 'onClosed'>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** HTTPS on one port for HTTP/2 and HTTP/1.1; every request, whatever its path, goes through `serve`. */
export class ApiServer {
  private readonly server: Http2SecureServer;
  private readonly sockets = new Set<Socket>();
  private readonly streams = new Set<OpenStream>();
  private readonly lines = new WeakMap<Socket, RequestLine>();
  private readonly metrics = new RequestMetrics();
  private readonly limits: HttpLimits;
  private readonly hosts: HostNames;
  private readonly fairness: Fairness;
  private readonly inFlight: RequestsInFlight;

  constructor(
    private readonly options: ApiserverOptions,
    private readonly handler: ApiHandler,
    private readonly authenticator: Authenticator,
    private readonly onError: (error: Error) => void,
    private readonly auditor?: Auditor,
  ) {
    const { certificate, privateKey } = options;
    this.limits = { ...defaultHttpLimits, ...options.limits };
    this.hosts = new HostNames(certificate);
    this.fairness = new Fairness(handler.flowControl);
    this.inFlight = new RequestsInFlight({ readOnly: options.requestsInFlightMax, mutating: options.mutatingRequestsInFlightMax });
    const { handshakeMs, headerBytesMax } = this.limits;
    this.server = createSecureServer(
      {
        cert: certificate,
        key: privateKey,
        allowHTTP1: true,
        // Otherwise the second piece of an answer waits until the client has told of the first, which clients take 40 ms for.
        noDelay: true,
        // Asked for and not insisted on; who signed it is looked at with each request.
        requestCert: true,
        rejectUnauthorized: false,
        handshakeTimeout: handshakeMs,
        maxSessionMemory: sessionMemoryMax,
        settings: { maxConcurrentStreams: concurrentStreamsMax, maxHeaderListSize: headerBytesMax },
      },
      (request, response) => this.take(request, response),
    );
    this.bound();
    this.server.on('secureConnection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
      socket.once('finish', () => this.linger(socket));
    });
    this.server.on('session', (session) => closeWhenIdle(session, this.limits.idleMs));
    this.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => this.takeUpgrade(request, socket, head));
    // A broken connection is the client's affair.
    this.server.on('sessionError', () => undefined);
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Without a handshake there is no telling anybody anything.
      if (this.sockets.has(socket as Socket)) this.lineOf(socket as Socket).fail(lastAnswer(error.code));
      else socket.destroy();
    });
  }

  /** Sets the bounds of connections over HTTP/1.1, which Node reads from properties of the server. */
  private bound(): void {
    const { headersMs, bodyMs, idleMs, checkMs, headerBytesMax, headersMax, connectionsMax } = this.limits;
    Object.assign(this.server, {
      headersTimeout: headersMs,
      // The body has its own time where it is read; this is for those whose body nobody asked for.
      requestTimeout: headersMs + bodyMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: idleMs,
      maxHeaderSize: headerBytesMax,
      // One more than allowed, which is then refused: Node leaves out the rest without a word.
      maxHeadersCount: headersMax + 1,
      maxConnections: connectionsMax,
    });
  }

  /** Node waits for ever for the other side to close a connection of HTTP/2 that it has itself closed. */
  private linger(socket: Socket): void {
    const timer = setTimeout(() => socket.destroy(), this.limits.lingerMs).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  private lineOf(socket: Socket): RequestLine {
    let line = this.lines.get(socket);
    if (!line) {
      line = new RequestLine(socket, this.limits.pipelinedMax, (request, response) => void this.serve(request, response));
      this.lines.set(socket, line);
    }
    return line;
  }

  private take(request: Incoming, response: Outgoing): void {
    if (request.httpVersionMajor !== 1) void this.serve(request, response);
    else this.lineOf(request.socket as Socket).enter(request as IncomingMessage, response as ServerResponse);
  }

  /** Behind an answer that is still going out there is no leaving HTTP. */
  private takeUpgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    if (this.lineOf(socket).isBusy) {
      socket.destroy();
      return;
    }
    const upgrade = new Upgrade(request, socket, head);
    void this.serve(request, upgrade.response, upgrade);
  }

  /** Resolves to the port. @throws what `listen` reports, e.g. EADDRINUSE. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(this.options.port, this.options.host, () => {
        this.server.off('error', reject);
        this.server.on('error', this.onError);
        resolve((this.server.address() as AddressInfo).port);
      });
    });
  }

  /** Ends the open streams cleanly, then whatever is still connected. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const stream of this.streams) stream.end();
    const timer = setTimeout(() => {
      for (const socket of this.sockets) socket.destroy();
    }, farewellMs);
    await closed;
    clearTimeout(timer);
    this.auditor?.close();
  }

  private async serve(request: Incoming, response: Outgoing, upgrade?: Upgrade): Promise<void> {
    const auditId = auditIdOf(request.headers);
    const exchange = new Exchange(request, response, auditId, this.limits);
    const patience = isWrite(exchange.method) ? new Patience(response) : undefined;
    try {
      const handled = this.unwelcome(exchange) ?? this.affordable(await this.answer(exchange, auditId, patience));
      patience?.over();
      const { audit } = exchange;
      if (isConnect(handled)) return await this.connect(handled, exchange, upgrade);
      if (isTunnel(handled)) return await this.tunnel(handled, exchange, upgrade);
      if (await upgrade?.take(handled, (sink, begin) => this.open(sink, begin, audit?.switched()))) return audit?.left();
      await this.send(handled, exchange);
    } catch (error) {
      patience?.over();
      if (!(error instanceof LogUnavailableError)) this.onError(error as Error);
      const answer = statusAnswer(internalError((error as Error).message));
      exchange.audit?.failed(error as Error, error instanceof LogUnavailableError ? answer : undefined);
      if (response.headersSent) response.destroy();
      else await exchange.send(answer).catch(() => response.destroy());
    }
  }

  /** Refuses a request for its form, whatever it asks for: too many headers, no single Host, a Host that is not this server. */
  private unwelcome({ hosts, headerCount }: Exchange): Answer | undefined {
    if (headerCount > this.limits.headersMax) return textAnswer(431, `more than ${this.limits.headersMax} headers\n`);
    const [host, ...others] = hosts;
    if (host === undefined || others.length > 0) return textAnswer(400, 'a request has one Host header\n');
    if (this.hosts.has(host)) return undefined;
    const known = [...this.hosts.names].join(', ');
    return textAnswer(421, `no host ${JSON.stringify(host)} is served here: only addresses and ${known}\n`);
  }

  /** The answer; 429 instead of a stream while as many are open as may be. */
  private affordable(handled: Handled): Handled {
    if ('body' in handled || this.streams.size < this.limits.streamsMax) return handled;
    return tooManyInFlight();
  }

  private async answer(exchange: Exchange, auditId: string, patience?: Patience): Promise<Handled> {
    const info = readRequestInfo(exchange.method, exchange.target);
    const over = this.metrics.begin(exchange.method);
    try {
      const handled = await this.answerTo(info, exchange, auditId, patience);
      const { kinds } = this.handler;
      this.metrics.answered(info, kinds, isConnect(handled) || isTunnel(handled) ? 101 : handled.status);
      if (!isStream(handled)) return handled;
      const open = (sink: StreamSink): void => {
        sink.onClosed(this.metrics.opened(info, kinds));
        handled.open(sink);
      };
      return { ...handled, open };
    } finally {
      over();
    }
  }

  private async answerTo(info: RequestInfo | undefined, exchange: Exchange, auditId: string, patience?: Patience): Promise<Handled> {
    const { headers } = exchange;
    const { auditor } = this;
    const arrivedAt = auditor?.now();
    const found = this.authenticator.authenticateRequest(headers, () => exchange.peerCertificate);
    const user = found instanceof Promise ? await found : found;
    if (auditor && info) exchange.audit = auditor.begin(exchange, info, user, arrivedAt as number);
    if (!user) return statusAnswer(unauthorized());
    const { access } = this.handler;
    const acting = impersonates(headers) ? impersonated(user, exchange.rawHeaders, exchange.target, access) : user;
    if (!('groups' in acting)) return isFailure(acting) ? statusAnswer(acting) : acting;
    if (acting !== user) exchange.audit?.actingAs(acting);
    exchange.fairness = this.fairness.headersOf(acting, info?.path ?? '');
    if (!info) return unreadableTarget();
    const leave = this.inFlight.enter(info, acting);
    if (!leave) return tooManyInFlight();
    try {
      return await this.permitted(info, { user, acting }, exchange, auditId, patience);
    } finally {
      leave();
    }
  }

  /** @param who has asked, and as whom */
  private async permitted(
    info: RequestInfo,
    { user, acting }: { user: User; acting: User },
    exchange: Exchange,
    auditId: string,
    patience?: Patience,
  ): Promise<Handled> {
    const { headers, audit } = exchange;
    const refusal = refusedTo(acting, info, this.handler.access, audit);
    if (refusal) return statusAnswer(refusal);
    if (info.path === '/metrics' && info.at === undefined && info.method === 'GET') return this.metrics.answer();
    const by = acting === user ? {} : { impersonator: user };
    const readBody = (): Promise<ReadBody> => exchange.readBody().finally(() => patience?.begin());
    return this.handler.handle({
      info,
      headers,
      user: acting,
      ...by,
      auditId,
      operation: newOperation(),
      readBody,
      signal: patience,
      from: exchange.from,
      whenGone: (callback) => exchange.whenGone(callback),
      audit,
    });
  }

  private async connect(handled: ConnectAnswer, exchange: Exchange, upgrade: Upgrade | undefined): Promise<void> {
    const { audit } = exchange;
    const answer = upgrade ? await upgrade.connect(handled, (connection) => this.hold(connection, audit?.switched())) : upgradeMissing();
    if (answer) await this.send(answer, exchange);
    else audit?.left();
  }

  private async send(handled: Answer | StreamAnswer, exchange: Exchange): Promise<void> {
    const { audit } = exchange;
    audit?.answered(handled);
    if (!isStream(handled)) audit?.ended();
    await exchange.send(isStream(handled) ? { ...handled, open: (sink) => this.open(sink, handled.open, audit) } : handled);
    if (audit && exchange.isGone) audit.ended();
  }

  private async tunnel({ tunnel }: TunnelAnswer, exchange: Exchange, upgrade: Upgrade | undefined): Promise<void> {
    if (!upgrade) return this.send(upgradeMissing(), exchange);
    const opened = await tunnel();
    if ('answer' in opened) await this.send(opened.answer, exchange);
    else this.hold(upgrade.tunnelTo(opened), exchange.audit?.switched());
  }

  private hold(stream: OpenStream, audit?: RequestAudit): void {
    this.streams.add(stream);
    stream.onClosed(() => this.streams.delete(stream));
    if (audit) stream.onClosed(() => audit.ended());
  }

  private open(sink: StreamSink, open: (sink: StreamSink) => void, audit?: RequestAudit): void {
    this.hold(sink, audit);
    open(sink);
  }
}

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** The client's own id of the request, if it sent a proper one. */
function auditIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['audit-id'];
  return typeof given === 'string' && uuid.test(given) ? given.toLowerCase() : randomUUID();
}
