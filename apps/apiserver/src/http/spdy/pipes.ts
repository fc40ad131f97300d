import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BytePipe } from './session';

/** Bytes that may wait for a client before no more is read from it. */
const waitingMax = 1024 * 1024;

/** The connection itself. `head`: what came behind the request. */
export function connectionPipe(socket: Duplex, head: Buffer): BytePipe {
  return {
    write: (bytes) => void (socket.writable && socket.write(bytes)),
    onBytes: (callback) => {
      if (head.length > 0) callback(head);
      socket.on('data', callback);
      socket.once('end', () => socket.end());
    },
    onClosed: (callback) => void socket.once('close', callback),
    whenTaken: () => taken(socket, () => socket.writableLength < waitingMax || socket.destroyed),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    end: () => void socket.end(() => socket.destroy()),
  };
}

/** The messages of a WebSocket, one after the other, as if there were none (port-forward of kubectl from 1.31 on). */
export function webSocketPipe(webSocket: WebSocket, socket: Duplex): BytePipe {
  return {
    write: (bytes) => webSocket.send(bytes, { binary: true }),
    onBytes: (callback) => void webSocket.on('message', callback),
    onClosed: (callback) => void webSocket.once('close', callback),
    whenTaken: () => taken(socket, () => webSocket.bufferedAmount < waitingMax || webSocket.readyState > 1),
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
    end: () => webSocket.close(1000),
  };
}

function taken(socket: Duplex, isTaken: () => boolean): Promise<void> {
  if (isTaken()) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done);
      socket.off('close', done);
      resolve();
    };
    socket.on('drain', done);
    socket.on('close', done);
  });
}
