import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { CliError } from '../cli-error';

export const defaultDataFolder = '.kubereel';
export const defaultPort = 7443;
export const clusterName = 'local';

/** What a data folder remembers between two starts, beside the log. */
export interface ClusterIdentity {
  cluster: string;
  seed: string;
  port: number;
  token: string;
  ca: string;
  certificate: string;
  privateKey: string;
}

export function logFolderOf(folder: string): string {
  return join(folder, 'log');
}

export function kubeconfigPathOf(folder: string): string {
  return join(folder, 'kubeconfig');
}

/** Writes beside and renames: a reader sees the old file or the new one, never a half. */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
  mkdirSync(join(path, '..'), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode });
  renameSync(temporary, path);
}

export function readIdentity(folder: string): ClusterIdentity | undefined {
  const path = join(folder, 'kubereel.json');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
  try {
    return JSON.parse(text) as ClusterIdentity;
  } catch {
    throw new CliError(`${path} is not readable as JSON`, `Restore it, or start afresh with: kubereel reset --data ${folder}`);
  }
}

export async function createIdentity(options: { port: number; seed?: string; now: number }): Promise<ClusterIdentity> {
  const { createCertificates } = await import('#apps/apiserver');
  const certificates = await createCertificates({
    hosts: ['localhost', '127.0.0.1', '::1', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    now: options.now,
  });
  return {
    cluster: clusterName,
    seed: options.seed ?? randomBytes(8).toString('hex'),
    port: options.port,
    token: randomBytes(24).toString('base64url'),
    ...certificates,
  };
}

export function writeIdentity(folder: string, identity: ClusterIdentity): void {
  writeAtomically(join(folder, 'kubereel.json'), `${JSON.stringify(identity, null, 2)}\n`);
}
