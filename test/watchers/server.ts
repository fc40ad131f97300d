/** One open watch, seen from its client. */
export interface Connection {
  /** Frames that have come since they were taken last: lines of JSON, or protobuf events without their lengths. */
  take(): Buffer[];
  /** The server, or an accident, has ended it. */
  readonly isOver: boolean;
  /** Takes nothing any more, as a slow client does, until `resume`. */
  dawdle(): void;
  resume(): void;
  close(): void;
}

export const transports = ['http1', 'http2', 'websocket'] as const;
export type Transport = (typeof transports)[number];

export interface Answered {
  status: number;
  text: string;
}

/** A cluster's API: in this process, or one that runs as others do. */
export interface Server {
  /** @throws Error when the connection broke: nobody knows whether it was done */
  request(method: string, target: string, headers?: Record<string, string>, body?: string): Promise<Answered>;
  /** Resolves once the server has looked at where the watch begins. */
  watch(target: string, accept: string, transport: Transport): Promise<Connection>;
  /** Changes that wait to be told are told. */
  handOver(): void;
  /** Time passes for bookmarks and time-outs, where it is ours to tell. */
  pass(ms: number): void;
  /** A turn of whatever makes answers and frames come. */
  turn(): Promise<void>;
  /** Another process goes on with the log. `during`: the first is killed while requests are under way. */
  restart(during?: Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

/** A watch that was refused before it began. */
export class WatchRefusedError extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`a watch was answered ${status}: ${text}`);
  }
}

/** Puts the bytes of a stream together to frames. */
export class FrameSplitter {
  private rest: Buffer = Buffer.alloc(0);

  constructor(private readonly isMessages: boolean) {}

  push(bytes: Buffer, frames: Buffer[]): void {
    let left = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    for (;;) {
      const [from, to, next] = this.isMessages ? messageIn(left) : lineIn(left);
      if (to < 0 || to > left.length) break;
      frames.push(left.subarray(from, to));
      left = left.subarray(next);
    }
    this.rest = left;
  }
}

function lineIn(bytes: Buffer): [from: number, to: number, next: number] {
  const end = bytes.indexOf(10);
  return [0, end, end + 1];
}

/** Each message has its length before it, four bytes. */
function messageIn(bytes: Buffer): [from: number, to: number, next: number] {
  if (bytes.length < 4) return [0, -1, 0];
  const end = 4 + bytes.readUInt32BE(0);
  return [4, end, end];
}
