/** The part of `ws` that is used here: the server's side of a WebSocket, and the client that tests use. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter {
    constructor(address: string, protocols?: string | readonly string[], options?: object);
    static readonly OPEN: number;
    readonly readyState: number;
    readonly protocol: string;
    /** Bytes handed over and not yet taken by the network. */
    readonly bufferedAmount: number;
    send(data: Buffer | string, options?: { binary?: boolean }): void;
    ping(data?: Buffer): void;
    pong(data?: Buffer): void;
    pause(): void;
    resume(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }

  export interface ServerOptions {
    noServer: true;
    perMessageDeflate: false;
    clientTracking: false;
    autoPong: boolean;
    /** Longest message taken, bytes; a longer one ends the connection with code 1009. */
    maxPayload: number;
    /** From our close frame to the end of the connection, whatever the other side does, ms. */
    closeTimeout: number;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: ServerOptions);
    handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, callback: (socket: WebSocket) => void): void;
  }
}
