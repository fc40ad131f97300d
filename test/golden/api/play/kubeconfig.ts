// A kubeconfig for a server that was given by address and token.
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Target } from './client';

/** What the entries of a kubeconfig are called; its context is called as its cluster. */
export interface KubeconfigNames {
  cluster: string;
  user: string;
}

const usual: KubeconfigNames = { cluster: 'golden', user: 'admin' };

/** Answers the file's name. */
export function writeKubeconfig(file: string, target: Target, { cluster: name, user }: KubeconfigNames = usual): string {
  const cluster: Record<string, string> = { server: target.url };
  if (target.ca !== undefined) cluster['certificate-authority-data'] = Buffer.from(target.ca).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster }],
    users: [{ name: user, user: { token: target.token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  };
  writeFileSync(file, stringify(config), { mode: 0o600 });
  return file;
}
