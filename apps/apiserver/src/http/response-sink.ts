import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { Socket } from 'node:net';
import type { StreamSink } from './answer';

type Response = ServerResponse | Http2ServerResponse;

/** The way out of an answer that goes on. Its headers are out already. */
export function sinkOf(response: Response): StreamSink {
  const { socket } = response as ServerResponse;
  // Only HTTP/1.1 has chunks.
  if ('chunkedEncoding' in response && response.chunkedEncoding && socket) return new ChunkSink(response, socket);
  return new ResponseSink(response);
}

/** What several watchers are sent together is put together once. */
class Once<K extends object> {
  private readonly made = new WeakMap<K, Buffer>();

  of(key: K, make: () => Buffer): Buffer {
    let bytes = this.made.get(key);
    if (!bytes) this.made.set(key, (bytes = make()));
    return bytes;
  }
}

const joins = new Once<readonly Buffer[]>();
const chunks = new Once<Buffer>();

function joined(frames: readonly Buffer[]): Buffer {
  return frames.length === 1 ? (frames[0] as Buffer) : joins.of(frames, () => Buffer.concat(frames));
}

class ResponseSink implements StreamSink {
  constructor(protected readonly response: Response) {}

  get waitingBytes(): number {
    return this.response.writableLength;
  }

  write(bytes: Buffer): void {
    if (this.isOpen) (this.response as ServerResponse).write(bytes);
  }

  writeFrames(frames: readonly Buffer[]): void {
    this.write(joined(frames));
  }

  end(): void {
    if (this.isOpen) this.response.end();
  }

  onDrained(callback: () => void): void {
    this.response.on('drain', callback);
  }

  abort(): void {
    this.response.destroy();
  }

  onClosed(callback: () => void): void {
    this.response.once('close', callback);
  }

  protected get isOpen(): boolean {
    return !this.response.destroyed && !this.response.writableEnded;
  }
}

const lineEnd = Buffer.from('\r\n');

/** A chunk of HTTP/1.1 with its length before it. */
function chunkOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]);
}

/**
 * Over HTTP/1.1 a chunk goes to the connection whole, and the same one to all who are sent the same: Node's own way makes four pieces of it, for
 * each watcher anew. The response writes the end.
 */
class ChunkSink extends ResponseSink {
  constructor(
    response: ServerResponse,
    private readonly socket: Socket,
  ) {
    super(response);
  }

  override write(bytes: Buffer): void {
    // An empty chunk would be the end.
    if (this.isOpen && bytes.length > 0) this.socket.write(chunks.of(bytes, () => chunkOf(bytes)));
  }

  override onDrained(callback: () => void): void {
    this.socket.on('drain', callback);
    this.onClosed(() => this.socket.off('drain', callback));
  }
}
