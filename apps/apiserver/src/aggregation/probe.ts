import { goNetworkError, type Backend, type BackendConnections } from '#libs/app-shell/outside';
import { identityHeaders } from './passed-on';

/** How long a server is asked whether it is there, ms. */
const probeMs = 5_000;
/** Who asks: nobody is refused in this name. */
const headers = {
  ...identityHeaders({ name: 'system:kube-aggregator', groups: ['system:masters'] }),
  'User-Agent': 'Go-http-client/2.0',
};

/**
 * Asks a server for what it has to serve. Whose certificate it shows does not matter for that.
 * @returns why it is not there, in the words of Go's client; undefined: it is. Never rejects.
 */
export function probe(backend: Backend, path: string, connections: BackendConnections): Promise<string | undefined> {
  const url = `https://${backend.authority}${path}`;
  const failed = (why: string): string => `failing or missing response from ${url}: ${why}`;
  const unreached = (why: string): string => failed(`Get ${JSON.stringify(url)}: ${why}`);
  return new Promise((resolve) => {
    const { ca: _ca, ...anyCertificate } = backend;
    const request = connections.request({ ...anyCertificate, insecure: true }, { method: 'GET', path, headers });
    const end = (why: string | undefined): void => {
      clearTimeout(timer);
      resolve(why);
      request.destroy();
    };
    const timer = setTimeout(
      () => end(unreached('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
      probeMs,
    ).unref();
    request.once('response', ({ statusCode = 0 }) =>
      end(statusCode >= 200 && statusCode < 300 ? undefined : failed(`bad status from ${url}: ${statusCode}`)),
    );
    request.on('error', (error) => end(unreached(goNetworkError(error, backend))));
    request.end();
  });
}
