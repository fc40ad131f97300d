import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { CliError } from '../cli-error';
import { stay } from '../terminal/stay';
import { endWithParent } from './end-with-parent';

/** Where it tells an API server of kubereel the folder that it was given. */
export const dataDirPath = '/kubereel/data-dir';

/** Answers of etcd 3.6 that tell a test that it is there. */
const answers: Readonly<Record<string, unknown>> = {
  '/health': { health: 'true', reason: '' },
  '/readyz': 'ok',
  '/livez': 'ok',
  '/version': { etcdserver: '3.6.4', etcdcluster: '3.6.0' },
};

/**
 * Stands where a test suite starts an etcd: it is healthy, and names the folder for the API server to keep its log in. The log is kubereel's own, so
 * nothing is stored here, and who asks for a key is told so.
 * @param words as the suite gives them: `--data-dir=DIR --listen-client-urls=http://127.0.0.1:PORT`; other flags change nothing
 */
export async function serveAsEtcd(words: readonly string[]): Promise<void> {
  const dataDir = resolve(valueOf(words, 'data-dir') ?? 'default.etcd');
  const [url] = (valueOf(words, 'listen-client-urls') ?? 'http://localhost:2379').split(',');
  const { hostname, port, protocol } = new URL(url as string);
  if (protocol !== 'http:') throw new CliError(`etcd: --listen-client-urls ${url}: kubereel's stand-in serves http alone`);
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', url);
    const answer = pathname === dataDirPath ? { dataDir } : answers[pathname];
    const isKnown = answer !== undefined;
    const body = isKnown ? answer : { error: 'kubereel keeps the objects in its own log: there are no keys here', code: 12 };
    response.writeHead(isKnown ? 200 : 501, { 'content-type': 'application/json' });
    response.end(`${typeof body === 'string' ? body : JSON.stringify(body)}\n`);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', (error) => failed(new CliError(`etcd: listening on ${url} fails: ${error.message}`)));
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''), listening);
  });
  stay();
  const end = (): never => process.exit(0);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  endWithParent(end);
}

function valueOf(words: readonly string[], flag: string): string | undefined {
  const index = words.findLastIndex((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  if (index < 0) return undefined;
  const word = words[index] as string;
  return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[index + 1];
}
