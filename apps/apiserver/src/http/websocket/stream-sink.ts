import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { StreamSink } from '../answer';

/** Longest message of a stream of bytes (upstream `wsstream.Reader`). */
const chunkMax = 2048;

/** How the bytes of a stream become messages. */
export type Messages = (webSocket: WebSocket, bytes: Buffer) => void;

/** Each frame of a watch a message: a text, or the protobuf without its length, which the message has of its own. */
export function frameMessages(contentType: string): Messages {
  if (!contentType.includes('protobuf')) return (webSocket, frame) => webSocket.send(frame, { binary: false });
  return (webSocket, frame) => webSocket.send(frame.subarray(4), { binary: true });
}

/** Subprotocols of a stream of bytes. */
export const byteProtocols: readonly string[] = ['', 'binary.k8s.io', 'base64.binary.k8s.io'];

/** Bytes in pieces, binary or in base64 as the subprotocol has it: a log. */
export function byteMessages(protocol: string): Messages {
  const isText = protocol.startsWith('base64.');
  return (webSocket, bytes) => {
    for (let start = 0; start < bytes.length; start += chunkMax) {
      const chunk = bytes.subarray(start, start + chunkMax);
      webSocket.send(isText ? chunk.toString('base64') : chunk, { binary: !isText });
    }
  };
}

/** A stream that goes out over a WebSocket. */
export class WebSocketSink implements StreamSink {
  constructor(
    private readonly webSocket: WebSocket,
    private readonly socket: Duplex,
    private readonly messages: Messages,
  ) {}

  get waitingBytes(): number {
    return this.webSocket.bufferedAmount;
  }

  write(bytes: Buffer): void {
    this.writeFrames([bytes]);
  }

  writeFrames(frames: readonly Buffer[]): void {
    this.socket.cork();
    for (const frame of frames) this.messages(this.webSocket, frame);
    this.socket.uncork();
  }

  end(): void {
    this.webSocket.close(1000);
  }

  onDrained(callback: () => void): void {
    this.socket.on('drain', callback);
  }

  abort(): void {
    this.webSocket.terminate();
  }

  onClosed(callback: () => void): void {
    this.webSocket.once('close', callback);
  }
}
