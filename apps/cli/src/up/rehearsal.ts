import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../program';
import { readIdentity, type ClusterIdentity } from './data-folder';

/** A build does not wait longer for it, ms. */
const rehearsalMsMax = 20_000;

/** What is asked first of a new cluster: by kubectl, which looks at what is served before the first list, and by clients that do not. */
const asked: readonly { path: string; accept: string }[] = [
  { path: '/api', accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' },
  { path: '/apis', accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json' },
  { path: '/api/v1/namespaces', accept: 'application/json' },
  { path: '/api/v1/nodes?limit=500', accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
];

/**
 * Starts a cluster as a user does, in a temporary folder, and asks what is asked first. A build that cannot (no port may be listened on) is
 * complete without: then V8 makes of each start what it would have kept.
 */
export async function rehearse(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kubereel-build-'));
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, rehearsalMsMax)));
  await Promise.race([started(folder), timeout]).catch(() => undefined);
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
}

async function started(folder: string): Promise<void> {
  const readyFile = join(folder, 'ready.json');
  await runProgram([process.execPath, 'kubereel', 'up', '--data', folder, '--port', '0', '--ready-file', readyFile]);
  const { url } = JSON.parse(readFileSync(readyFile, 'utf8')) as { url: string };
  const identity = readIdentity(folder) as ClusterIdentity;
  for (const { path, accept } of asked) await ask(new URL(path, url), accept, identity);
}

function ask(url: URL, accept: string, { ca, token }: ClusterIdentity): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ca, agent: false, headers: { accept, authorization: `Bearer ${token}` } }, (response) => {
      response.resume().once('end', resolve);
    });
    sent.once('error', reject).end();
  });
}
