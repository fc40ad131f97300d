import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { bytesOfBase64 } from './base64';

/** Bytes that may wait for a client before no more is read from it. */
const waitingMax = 1024 * 1024;
/** In v5 the first byte of a message that closes a channel. */
const closeMark = 255;
const zero = '0'.charCodeAt(0);

/** Called with what comes on a channel; undefined: the channel is closed. */
type Listener = (channel: number, bytes: Buffer | undefined) => void;

/** Several streams over one WebSocket: the first byte of each message says which (upstream `wsstream.Conn`). */
export class Channels {
  private readonly isText: boolean;
  private readonly closesChannels: boolean;
  private readonly takers: (() => void)[] = [];
  private listener: Listener = () => undefined;

  /** @param protocol the subprotocol agreed on */
  constructor(
    private readonly webSocket: WebSocket,
    socket: Duplex,
    protocol: string,
    private readonly count: number,
  ) {
    this.isText = protocol.includes('base64');
    this.closesChannels = protocol.startsWith('v5.');
    webSocket.on('message', (data: Buffer) => this.receive(data));
    socket.on('drain', () => this.taken());
    webSocket.once('close', () => this.taken());
  }

  send(channel: number, bytes: Buffer): void {
    if (this.isText) this.webSocket.send(channel + bytes.toString('base64'), { binary: false });
    else this.webSocket.send(Buffer.concat([Buffer.from([channel]), bytes]), { binary: true });
  }

  /** Resolves when little enough waits for the client, or it has gone. */
  whenTaken(): Promise<void> {
    if (this.webSocket.bufferedAmount < waitingMax || this.webSocket.readyState > 1) return Promise.resolve();
    return new Promise((resolve) => this.takers.push(resolve));
  }

  /** To be called in the turn in which the WebSocket was opened: nothing has come by then. */
  listen(listener: Listener): void {
    this.listener = listener;
  }

  pause(): void {
    this.webSocket.pause();
  }

  resume(): void {
    this.webSocket.resume();
  }

  onClosed(callback: () => void): void {
    this.webSocket.once('close', callback);
  }

  close(): void {
    this.webSocket.close(1000);
  }

  private taken(): void {
    for (const taker of this.takers.splice(0)) taker();
  }

  private receive(data: Buffer): void {
    const [first] = data;
    if (first === undefined) return;
    if (this.closesChannels && first === closeMark) {
      const channel = data[1];
      if (data.length !== 2 || channel === undefined || channel >= this.count) this.close();
      else this.listener(channel, undefined);
      return;
    }
    const channel = this.isText ? first - zero : first;
    const bytes = this.isText ? bytesOfBase64(data.subarray(1).toString('latin1')) : data.subarray(1);
    if (channel >= 0 && channel < this.count && bytes) this.listener(channel, bytes);
  }
}
