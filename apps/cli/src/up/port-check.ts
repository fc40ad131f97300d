import { createServer } from 'node:net';
import { CliError } from '../cli-error';
import { portHolder } from './port-holder';

/**
 * Binds the port once, before anything is written: a cluster whose server cannot listen is not begun.
 * @throws what `listen` reports, with `code` (EADDRINUSE, EACCES …)
 */
export function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}

/** A failure to listen in the user's words; undefined when the error is about something else. */
export function listenError(error: unknown, host: string, port: number): CliError | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    const holder = portHolder(port);
    return new CliError(
      `port ${port} is taken by ${holder === undefined ? 'another program' : `process ${holder}`}`,
      'Stop it, or choose another port with --port N (0: any that is free).',
    );
  }
  if (code === 'EACCES' && syscall === 'listen')
    return new CliError(`port ${port} is not for you to listen on`, 'Choose one above 1023 with --port N.');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new CliError(`--host: ${host} is no address of this machine`, '127.0.0.1 (the default), 0.0.0.0 for all, or one of its own.', 2);
  return undefined;
}

const loopback = /^(127\.|::1$|localhost$)/;

/** What is open to whom, where more than this machine reaches the server; undefined when nobody else does. */
export function openness(host: string): string | undefined {
  if (loopback.test(host)) return undefined;
  const where = host === '0.0.0.0' || host === '::' ? 'on every address of this machine' : `on ${host}`;
  return `the API server listens ${where}: everybody who reaches it there and has the token of the kubeconfig may do everything in this cluster`;
}

/** The host of the URL that this machine reaches the server by. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
