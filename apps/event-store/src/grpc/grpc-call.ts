import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { ENCODINGS, HEAD_BYTES, MessageReader } from './message-reader';
import { code, StatusError, type CallStatus } from './status';

const RESPONSE_HEADERS: OutgoingHttpHeaders = {
  ':status': 200,
  'content-type': 'application/grpc+proto',
  'grpc-accept-encoding': ENCODINGS,
};

/** Messages go out together in chunks of about this size. */
const CHUNK_BYTES = 64 * 1024;
/** Answers that the client has not taken yet; with more, the sender waits. More than HTTP/2's window, so that it is always filled. */
const PENDING_BYTES_MAX = 256 * 1024;

const UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };
const TIMEOUT = /^(\d{1,8})([HMSmun])$/;
/** Longest wait that a timer holds, ms. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Text as `grpc-message` carries it: what is not printable ASCII is percent-encoded. */
function percentEncoded(text: string): string {
  return text.replace(/[^ -$&-~]+/gu, (odd) => {
    let encoded = '';
    for (const byte of Buffer.from(odd, 'utf8')) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    return encoded;
  });
}

function statusHeaders({ code: number, details = '', trailers = {} }: CallStatus): OutgoingHttpHeaders {
  return { 'grpc-status': number, ...(details === '' ? {} : { 'grpc-message': percentEncoded(details) }), ...trailers };
}

export interface CallListeners {
  message(bytes: Buffer): void;
  /** The client will send nothing more. */
  ended(): void;
}

/** One call: messages either way over a stream of HTTP/2, and how it ends. */
export class GrpcCall {
  private readonly reader: MessageReader;
  private outgoing: Buffer[] = [];
  private outgoingBytes = 0;
  private flushing = false;
  private responded = false;
  private isOver = false;
  private status: CallStatus = { code: code.OK };
  private waiting: { settled: Promise<void>; release: () => void } | undefined;
  private readonly overListeners: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly stream: ServerHttp2Stream,
    readonly headers: IncomingHttpHeaders,
    receiveBytesMax: number,
  ) {
    this.reader = new MessageReader(headers['grpc-encoding'] as string | undefined, receiveBytesMax);
    stream.on('error', () => undefined);
    stream.on('close', () => this.finish());
    stream.on('aborted', () => this.finish());
    stream.on('drain', () => this.release());
    stream.on('wantTrailers', () => stream.sendTrailers(statusHeaders(this.status)));
    this.watchDeadline();
  }

  /** Ended by either side, or the client has gone. */
  get over(): boolean {
    return this.isOver;
  }

  /** Called once, when the call is over; at once when it is already. */
  onOver(listener: () => void): void {
    if (this.isOver) listener();
    else this.overListeners.push(listener);
  }

  /** Begins to read. */
  listen(listeners: CallListeners): void {
    this.stream.on('data', (chunk: Buffer) => {
      if (this.isOver) return;
      try {
        for (const message of this.reader.add(chunk)) if (!this.isOver) listeners.message(message);
      } catch (error) {
        this.end(error instanceof StatusError ? error.status : { code: code.INTERNAL, details: (error as Error).message });
      }
    });
    this.stream.on('end', () => {
      if (this.isOver) return;
      if (this.reader.midway) this.end({ code: code.INTERNAL, details: 'Incomplete message.' });
      else listeners.ended();
    });
  }

  pause(): void {
    this.stream.pause();
  }

  resume(): void {
    this.stream.resume();
  }

  isPaused(): boolean {
    return this.stream.isPaused();
  }

  /** Undefined: go on. A promise: not before it settles, which it does also when the call is over. */
  write(message: Buffer): Promise<void> | undefined {
    if (this.isOver) return undefined;
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head[0] = 0;
    head.writeUInt32BE(message.length, 1);
    return this.writeFramed([head, message], HEAD_BYTES + message.length);
  }

  /** As `write`, of messages with their heads. */
  writeFramed(frames: readonly Buffer[], bytes: number): Promise<void> | undefined {
    if (this.isOver) return undefined;
    this.outgoing.push(...frames);
    this.outgoingBytes += bytes;
    if (this.outgoingBytes >= CHUNK_BYTES) this.flush();
    else if (!this.flushing) {
      this.flushing = true;
      // What is written in one go is sent in one go.
      queueMicrotask(() => this.flush());
    }
    if (this.stream.writableLength < PENDING_BYTES_MAX) return undefined;
    return this.untilDrained();
  }

  end(status: CallStatus = { code: code.OK }): void {
    if (this.isOver) return;
    this.flush();
    this.finish();
    this.status = status;
    if (this.stream.destroyed || this.stream.closed) return;
    // What the client goes on sending is let pass.
    this.stream.resume();
    if (this.responded) this.stream.end();
    else this.stream.respond({ ...RESPONSE_HEADERS, ...statusHeaders(status) }, { endStream: true });
  }

  private flush(): void {
    this.flushing = false;
    const { stream, outgoing } = this;
    if (outgoing.length === 0 || this.isOver || stream.destroyed || stream.closed) return;
    const bytes = outgoing.length === 1 ? outgoing[0]! : Buffer.concat(outgoing, this.outgoingBytes);
    this.outgoing = [];
    this.outgoingBytes = 0;
    if (!this.responded) {
      this.responded = true;
      stream.respond(RESPONSE_HEADERS, { waitForTrailers: true });
    }
    stream.write(bytes);
  }

  private untilDrained(): Promise<void> {
    if (!this.waiting) {
      let release: () => void = () => undefined;
      const settled = new Promise<void>((resolve) => (release = resolve));
      this.waiting = { settled, release };
    }
    return this.waiting.settled;
  }

  private release(): void {
    this.waiting?.release();
    this.waiting = undefined;
  }

  private finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.release();
    for (const listener of this.overListeners.splice(0)) listener();
  }

  private watchDeadline(): void {
    const [, amount, unit] = TIMEOUT.exec(String(this.headers['grpc-timeout'] ?? '')) ?? [];
    if (amount === undefined || unit === undefined) return;
    const ms = Number(amount) * UNITS_MS[unit]!;
    if (ms < TIMER_MS_MAX) this.timer = setTimeout(() => this.end({ code: code.DEADLINE_EXCEEDED, details: 'Deadline Exceeded' }), ms);
  }
}
