import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Backend, BackendConnections } from '#libs/app-shell/outside';
import { isObject } from '#libs/kernel';

/** How long a document is waited for, ms. */
const fetchMs = 5_000;
/** Bytes of a document that are read at most. */
const documentMax = 16 * 2 ** 20;

export interface Fetched {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Reads a document of another server. Undefined: it cannot be had. Never rejects. */
export function fetchFrom(
  backend: Backend,
  path: string,
  headers: OutgoingHttpHeaders,
  connections: BackendConnections,
): Promise<Fetched | undefined> {
  return new Promise((resolve) => {
    const request = connections.request(backend, { method: 'GET', path, headers: { 'User-Agent': 'Go-http-client/2.0', ...headers } });
    const end = (found: Fetched | undefined): void => {
      clearTimeout(timer);
      resolve(found);
      request.destroy();
    };
    const timer = setTimeout(() => end(undefined), fetchMs).unref();
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if ((size += chunk.length) > documentMax) end(undefined);
      });
      response.once('end', () =>
        end({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks).toString('utf8') }),
      );
      response.once('error', () => end(undefined));
    });
    request.on('error', () => end(undefined));
    request.end();
  });
}

/** Undefined: no JSON object. */
export function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
