import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isConnect, isStream, isTunnel, type Answer, type ConnectAnswer, type Handled, type OpenedTunnel, type StreamSink } from './answer';
import { acceptWebSocket } from './websocket/accept';
import { agreeOnProtocol, agreeOnWatch, asksForWebSocket, type HandshakeRefusal } from './websocket/handshake';
import { byteMessages, byteProtocols, frameMessages, WebSocketSink } from './websocket/stream-sink';

/** Whoever is only told something has nothing to say: longest message taken from them, bytes. */
const chatterMax = 64 * 1024;

/**
 * A request over HTTP/1.1 that asks to leave HTTP. Where what it asks for can be had so, the connection is handed over; otherwise the
 * request is answered as any other, as Go's server does, and the connection closed: Node has let go of its parser.
 */
export class Upgrade {
  readonly response: ServerResponse;

  constructor(
    readonly request: IncomingMessage,
    readonly socket: Socket,
    readonly head: Buffer,
  ) {
    const { method, headers } = request;
    this.response = new ServerResponse(request);
    this.response.shouldKeepAlive = false;
    this.response.assignSocket(socket);
    this.response.once('finish', () => socket.destroySoon());
    socket.on('error', () => socket.destroy());
    // Nobody parses what comes behind the headers: such a request has no body, or says so in vain.
    if (method === 'GET' || !Number(headers['content-length'] ?? 0)) request.push(null);
  }

  /** Leaves HTTP if what is asked for can be had so. False: the answer goes as any other. */
  async take(handled: Handled, open: (sink: StreamSink, begin: (sink: StreamSink) => void) => void): Promise<boolean> {
    const { headers, method = 'GET' } = this.request;
    if (isConnect(handled) || isTunnel(handled) || !handled.overWebSocket || !asksForWebSocket(headers)) return false;
    const isWatch = handled.overWebSocket === 'frames';
    const agreed = isWatch ? agreeOnWatch(method, headers) : agreeOnProtocol(method, headers, byteProtocols);
    if ('refused' in agreed) {
      this.refuse(agreed);
      return true;
    }
    this.leaveHttp();
    const webSocket = await acceptWebSocket(this, agreed.protocol, chatterMax);
    const sink = new WebSocketSink(
      webSocket,
      this.socket,
      isWatch ? frameMessages(handled.contentType ?? '') : byteMessages(agreed.protocol),
    );
    // An empty message first tells that the stream is open before it has anything to say.
    if (!isWatch) webSocket.send(agreed.protocol.startsWith('base64.') ? '' : Buffer.alloc(0));
    open(sink, isStream(handled) ? handled.open : (out) => (out.write(Buffer.from(handled.body)), out.end()));
    return true;
  }

  /** Hands the connection over to exec, attach or port-forward; an answer instead where that cannot be. */
  async connect(
    { service }: ConnectAnswer,
    opened: (connection: Pick<StreamSink, 'end' | 'onClosed'>) => void,
  ): Promise<Answer | undefined> {
    const { connectTo } = await import('./remote/connect.js');
    const connection = connectTo(service, this);
    if ('answer' in connection) return connection.answer;
    if ('refusal' in connection) {
      this.refuse(connection.refusal);
      return undefined;
    }
    this.leaveHttp();
    const { socket } = this;
    opened({ end: () => socket.destroySoon(), onClosed: (callback) => socket.once('close', callback) });
    await connection.open();
    return undefined;
  }

  /** Hands the connection over to another server: what the one says the other hears, until either is gone. */
  tunnelTo({ head, first, socket: other }: Exclude<OpenedTunnel, { answer: unknown }>): Pick<StreamSink, 'end' | 'onClosed'> {
    const { socket } = this;
    this.leaveHttp();
    other.on('error', () => socket.destroy());
    other.once('close', () => socket.destroySoon());
    socket.once('close', () => other.destroy());
    if (other.destroyed) socket.destroy();
    socket.write(head);
    if (first.length > 0) socket.write(first);
    if (this.head.length > 0) other.write(this.head);
    other.pipe(socket);
    socket.pipe(other);
    return { end: () => socket.destroySoon(), onClosed: (callback) => void socket.once('close', callback) };
  }

  /** Told in a bare status line, as the real server's library does. */
  private refuse({ refused, text }: HandshakeRefusal): void {
    this.leaveHttp();
    this.socket.end(`HTTP/1.1 ${refused} ${STATUS_CODES[refused]}\r\nConnection: close\r\n\r\n${text}`);
  }

  private leaveHttp(): void {
    this.response.detachSocket(this.socket);
  }
}
