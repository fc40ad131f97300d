// A kubeconfig for a server that was given by address and token.
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Target } from './client';

/** Answers the file's name. */
export function writeKubeconfig(file: string, target: Target): string {
  const cluster: Record<string, string> = { server: target.url };
  if (target.ca !== undefined) cluster['certificate-authority-data'] = Buffer.from(target.ca).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'golden', cluster }],
    users: [{ name: 'admin', user: { token: target.token } }],
    contexts: [{ name: 'golden', context: { cluster: 'golden', user: 'admin' } }],
    'current-context': 'golden',
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}
