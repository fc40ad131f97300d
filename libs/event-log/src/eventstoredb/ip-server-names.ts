import { Duplex } from 'node:stream';
import { connect } from 'node:tls';

let isDone = false;

/**
 * Node warns, once a process, of TLS to a server that is named by its IP address, and gRPC always names the server. Nothing is wrong
 * with the connection, and nobody can do anything about it: the one warning is used up here, unseen, on a socket that leads nowhere.
 */
export function acceptIpServerNames(): void {
  if (isDone) return;
  isDone = true;
  const { noDeprecation } = process;
  process.noDeprecation = true;
  try {
    const nowhere = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    connect({ socket: nowhere, servername: '127.0.0.1' })
      .on('error', () => undefined)
      .destroy();
  } finally {
    process.noDeprecation = noDeprecation;
  }
}
