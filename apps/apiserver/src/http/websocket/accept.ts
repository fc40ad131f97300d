import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';

/** A request that asks to leave HTTP, and the connection that it came on. */
export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  /** What came behind the request. */
  head: Buffer;
}

/** From our close frame to the end of the connection, ms. */
const closeMs = 1_000;
/** Bytes of pongs and the like that may wait for a client which does not read. */
const unreadMax = 1024 * 1024;

/**
 * Opens the WebSocket that was agreed on.
 * @param payloadMax longest message taken, bytes; a longer one ends the connection with code 1009
 */
export async function acceptWebSocket({ request, socket, head }: UpgradeRequest, protocol: string, payloadMax: number): Promise<WebSocket> {
  const { WebSocketServer } = await import('ws');
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
    maxPayload: payloadMax,
    closeTimeout: closeMs,
  });
  // Agreed on already, in names that the library would not take (`SPDY/3.1+…`).
  delete request.headers['sec-websocket-protocol'];
  server.on('headers', (headers: string[]) => {
    if (protocol !== '') headers.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  return new Promise((resolve) => {
    server.handleUpgrade(request, socket, head, (webSocket) => {
      // What a client does wrong ends its connection with the code for it; that is all there is to do.
      webSocket.on('error', () => undefined);
      webSocket.on('ping', (data: Buffer) => {
        if (webSocket.bufferedAmount > unreadMax) webSocket.terminate();
        else webSocket.pong(data);
      });
      resolve(webSocket);
    });
  });
}
