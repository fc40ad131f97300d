import { randomUUID } from 'node:crypto';
import {
  connect,
  constants,
  createServer,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { EventStore, Payload } from '#libs/event-log';
import type { BatchAppendRequestMessage, ReadRequestMessage } from '../wire/messages';
import { loadProtocol, type Protocol } from '../wire/protocol';

const methodsOf = ({ method }: Protocol) => ({ Read: method('streams.Streams/Read'), BatchAppend: method('streams.Streams/BatchAppend') });

export type Line = '23.10' | '26.1';

export interface Ending {
  code: number;
  details: string;
  trailers?: Record<string, string>;
}

const unknown = 2;
const invalidArgument = 3;
const frameHeadBytes = 5;

/** What real servers say of a position at which no event is. */
const refusals: Record<Line, { read: Ending; subscription: Ending }> = {
  '23.10': {
    read: { code: unknown, details: 'Unexpected ReadAllResult: Error' },
    subscription: { code: unknown, details: 'Exception was thrown by handler.' },
  },
  '26.1': {
    read: { code: unknown, details: 'Unexpected ReadAllResult: InvalidPosition >> the position is not valid' },
    subscription: { code: invalidArgument, details: 'Trying to read from an invalid position.' },
  },
};

/**
 * Stands between the official client and our server and does what real servers do and ours need not: it refuses to begin
 * where no event is, answers appends with "Server Is Not Ready" while it is `electing`, ends calls, and says twice that it has caught up.
 */
export class RealStoreFront {
  /** Positions that were refused. */
  readonly refused: number[] = [];
  /** Appends answered so. */
  notReady = 0;
  electing = false;
  /** What the next batch of appends is answered with, all of it. */
  batchEnding: Ending | undefined;
  private readonly subscriptions = new Set<ServerHttp2Stream>();
  private readonly server: Http2Server = createServer();
  private readonly methods = methodsOf(loadProtocol());
  private readonly endings = new WeakMap<ServerHttp2Stream, object>();
  private readonly sessions = new Set<{ destroy(): void }>();

  constructor(
    private readonly target: number,
    private readonly store: EventStore<Payload>,
    private readonly line: Line,
  ) {
    this.server.on('session', (near) => {
      const far = connect(`http://127.0.0.1:${target}`);
      for (const session of [near, far]) {
        this.sessions.add(session);
        session.on('error', () => undefined).on('close', () => this.sessions.delete(session));
      }
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
      near.on('stream', (stream, headers) => this.call(stream, headers, far));
    });
  }

  /** Resolves to the connection string. */
  open(): Promise<string> {
    return new Promise((resolve) => {
      this.server.listen(0, '127.0.0.1', () => resolve(`esdb://127.0.0.1:${(this.server.address() as { port: number }).port}?tls=false`));
    });
  }

  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const session of this.sessions) session.destroy();
    return closed;
  }

  /** Ends all subscriptions. */
  endSubscriptions(ending: Ending): void {
    for (const near of this.subscriptions) this.end(near, ending);
  }

  /** Tells all subscribers once more that they have caught up, with what 26.1 says of that. */
  catchUpAgain(position: number): void {
    const now = { seconds: 1, nanos: 0 };
    const at = { commit_position: position, prepare_position: position };
    for (const near of this.subscriptions)
      this.reply(near, this.methods.Read.responseSerialize({ caught_up: { timestamp: now, position: at } }));
  }

  private call(near: ServerHttp2Stream, headers: Record<string, unknown>, session: ClientHttp2Session): void {
    const path = headers[':path'] as string;
    near.on('error', () => undefined);
    let far: ClientHttp2Stream | undefined;
    const forward = (frame: Buffer): void => {
      far ??= this.connect(near, session, headers);
      far.write(frame);
    };
    let rest = Buffer.alloc(0);
    near.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= frameHeadBytes && rest.length >= frameHeadBytes + rest.readUInt32BE(1)) {
        const end = frameHeadBytes + rest.readUInt32BE(1);
        const frame = rest.subarray(0, end);
        rest = rest.subarray(end);
        if (!this.answers(near, path, frame.subarray(frameHeadBytes))) forward(frame);
      }
    });
    near.on('end', () => far?.end());
    near.on('close', () => far?.close(constants.NGHTTP2_CANCEL));
  }

  private connect(near: ServerHttp2Stream, session: ClientHttp2Session, headers: Record<string, unknown>): ClientHttp2Stream {
    const far = session.request(headers as never, { endStream: false });
    let trailers: object = {};
    far.on('error', () => undefined);
    far.on('response', (answer, flags) => {
      if (near.destroyed || near.headersSent) return;
      const ends = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
      near.respond(answer, ends ? { endStream: true } : { waitForTrailers: true });
      near.on('wantTrailers', () => near.sendTrailers({ ...trailers, ...this.endings.get(near) } as never));
    });
    far.on('trailers', (given) => (trailers = given));
    far.on('data', (chunk: Buffer) => void (near.destroyed || near.write(chunk)));
    far.on('end', () => void (near.destroyed || near.writableEnded || near.end()));
    return far;
  }

  /** True when a message is not for the server behind. */
  private answers(near: ServerHttp2Stream, path: string, message: Buffer): boolean {
    const { Read, BatchAppend } = this.methods;
    if (path === Read.path) return this.refusesRead(near, Read.requestDeserialize(message) as ReadRequestMessage);
    if (path !== BatchAppend.path) return false;
    if (this.batchEnding) {
      this.end(near, this.batchEnding);
      this.batchEnding = undefined;
      return true;
    }
    if (!this.electing) return false;
    this.notReady += 1;
    const { correlation_id, options } = BatchAppend.requestDeserialize(message) as BatchAppendRequestMessage;
    const details = { type_url: 'type.googleapis.com/google.protobuf.Empty', value: Buffer.alloc(0) };
    const error = { code: 0, message: 'Server Is Not Ready', details };
    this.reply(near, BatchAppend.responseSerialize({ correlation_id, stream_identifier: options?.stream_identifier, error }));
    return true;
  }

  private refusesRead(near: ServerHttp2Stream, { options }: ReadRequestMessage): boolean {
    const asked = (options as { all?: { position?: { commit_position?: string } } } | undefined)?.all?.position?.commit_position;
    const position = Number(asked ?? 0);
    const isSubscription = (options as { subscription?: object }).subscription !== undefined;
    if (isSubscription) {
      this.subscriptions.add(near);
      near.on('close', () => this.subscriptions.delete(near));
    }
    if (position === 0) return false;
    const isBackwards = (options as { read_direction?: number }).read_direction === 1;
    const next = this.store.readAll(position, 1, 'forwards').events[0];
    if (next?.position === position || (!next && !isBackwards && !isSubscription)) return false;
    this.refused.push(position);
    if (isSubscription && this.line === '26.1')
      this.reply(near, this.methods.Read.responseSerialize({ confirmation: { subscription_id: randomUUID() } }));
    this.end(near, refusals[this.line][isSubscription ? 'subscription' : 'read']);
    return true;
  }

  private reply(near: ServerHttp2Stream, message: Buffer): void {
    if (!near.headersSent) near.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    const head = Buffer.alloc(frameHeadBytes);
    head.writeUInt32BE(message.length, 1);
    near.write(Buffer.concat([head, message]));
  }

  private end(near: ServerHttp2Stream, ending: Ending): void {
    const trailers = { 'grpc-status': String(ending.code), 'grpc-message': encodeURI(ending.details), ...ending.trailers };
    if (!near.headersSent) {
      near.respond({ ':status': 200, 'content-type': 'application/grpc+proto', ...trailers }, { endStream: true });
      return;
    }
    const answered = this.endings.has(near);
    this.endings.set(near, trailers);
    if (near.listenerCount('wantTrailers') === 0 && !answered) near.on('wantTrailers', () => near.sendTrailers(trailers));
    near.end();
  }
}
