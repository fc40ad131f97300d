import { controlFrame, dataFrames, FrameReader, finFlag, frameTypes } from './frames';
import { EmptyHeaders, HeaderReader } from './header-blocks';

/** What carries the bytes: the connection itself, or the messages of a WebSocket. */
export interface BytePipe {
  write(bytes: Buffer): void;
  onBytes(callback: (bytes: Buffer) => void): void;
  onClosed(callback: () => void): void;
  /** Resolves when little enough waits for the client, or it has gone. */
  whenTaken(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Closes once what was written is out. */
  end(): void;
}

/** Streams open at once on one connection. */
const streamsMax = 1_000;
const refusedStream = 3;
const cancel = 5;

/** One stream that the client has opened. */
export class SpdyStream {
  private listener: ((bytes: Buffer | undefined) => void) | undefined;
  private readonly early: (Buffer | undefined)[] = [];
  private isEnded = false;

  constructor(
    readonly id: number,
    readonly headers: ReadonlyMap<string, string>,
    private readonly pipe: BytePipe,
  ) {}

  write(bytes: Buffer): void {
    if (!this.isEnded && bytes.length > 0) this.pipe.write(dataFrames(this.id, bytes, false));
  }

  /** Nothing more is sent. */
  end(): void {
    if (!this.isEnded) this.pipe.write(dataFrames(this.id, Buffer.alloc(0), true));
    this.isEnded = true;
  }

  reset(): void {
    if (!this.isEnded) this.pipe.write(resetFrame(this.id, cancel));
    this.isEnded = true;
  }

  /** Called with what comes, `undefined` at its end. */
  listen(listener: (bytes: Buffer | undefined) => void): void {
    this.listener = listener;
    for (const bytes of this.early.splice(0)) listener(bytes);
  }

  receive(bytes: Buffer | undefined): void {
    if (this.listener) this.listener(bytes);
    else this.early.push(bytes);
  }
}

/** The server's side of SPDY/3.1 as Kubernetes speaks it: the client opens streams, nobody limits their flow but the connection itself. */
export class SpdySession {
  private readonly streams = new Map<number, SpdyStream>();
  private readonly headers = new HeaderReader();
  private readonly replies = new EmptyHeaders();

  /** @param onStream whether the stream is taken */
  constructor(
    private readonly pipe: BytePipe,
    private readonly onStream: (stream: SpdyStream) => boolean,
  ) {
    const reader = new FrameReader({
      onControl: (type, flags, payload) => this.control(type, flags, payload),
      onData: (id, bytes, isLast) => this.data(id, bytes, isLast),
    });
    pipe.onBytes((bytes) => {
      try {
        reader.push(bytes);
      } catch {
        // What is not SPDY is not to be answered.
        pipe.end();
      }
    });
  }

  /** A stream that both sides are done with. */
  forget(...streams: readonly SpdyStream[]): void {
    for (const { id } of streams) this.streams.delete(id);
  }

  end(): void {
    this.pipe.write(controlFrame(frameTypes.goAway, 0, Buffer.alloc(8)));
    this.pipe.end();
  }

  private control(type: number, flags: number, payload: Buffer): void {
    if (type === frameTypes.synStream) this.open(payload, (flags & finFlag) !== 0);
    else if (type === frameTypes.ping) this.pipe.write(controlFrame(frameTypes.ping, 0, payload.subarray(0, 4)));
    else if (type === frameTypes.rstStream) this.close(payload.readUInt32BE(0));
    else if (type === frameTypes.goAway) this.pipe.end();
  }

  private open(payload: Buffer, isLast: boolean): void {
    const id = payload.readUInt32BE(0) & 0x7fffffff;
    // Read in any case: what comes later refers to it.
    const headers = this.headers.read(payload.subarray(10));
    if (this.streams.has(id)) throw new Error('a stream is opened twice');
    const stream = new SpdyStream(id, headers, this.pipe);
    if (this.streams.size >= streamsMax || !this.onStream(stream)) {
      this.pipe.write(resetFrame(id, refusedStream));
      return;
    }
    this.streams.set(id, stream);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(id);
    this.pipe.write(controlFrame(frameTypes.synReply, 0, Buffer.concat([number, this.replies.next()])));
    if (isLast) stream.receive(undefined);
  }

  private data(id: number, bytes: Buffer, isLast: boolean): void {
    const stream = this.streams.get(id);
    if (bytes.length > 0) stream?.receive(bytes);
    if (isLast) stream?.receive(undefined);
  }

  private close(id: number): void {
    this.streams.get(id)?.receive(undefined);
    this.streams.delete(id);
  }
}

function resetFrame(stream: number, reason: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(stream, 0);
  payload.writeUInt32BE(reason, 4);
  return controlFrame(frameTypes.rstStream, 0, payload);
}
