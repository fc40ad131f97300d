import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Issued } from '#libs/app-shell/certificates';
import { makeFolder, writeWhole } from '#libs/event-log';
import { CliError } from '../cli-error';

export const defaultDataFolder = '.kubereel';
export const defaultPort = 7443;
export const clusterName = 'local';

/** A CA with its key, PEM. */
export interface Signer {
  certificate: string;
  privateKey: string;
}

/** What a data folder remembers between two starts, beside the log. */
export interface ClusterIdentity {
  cluster: string;
  seed: string;
  port: number;
  token: string;
  ca: string;
  certificate: string;
  privateKey: string;
  /** The CA that signs what CertificateSigningRequests ask for: in clusters of before, not the one that the API server shows. */
  signer?: Signer;
  /** By which servers of aggregated APIs know the API server; absent in clusters of before. */
  frontProxy?: Issued;
  /** `--nodes` of its beginning. */
  nodes?: string;
  /** Address of the event store that its log is in, without password; absent: the log is in the folder. */
  eventStore?: string;
}

/** What `up` keeps in a data folder; nothing else there is touched. */
export const folderContents: readonly (readonly [name: string, what: string])[] = [
  ['log', 'the event stream'],
  ['snapshots', 'the state and the past, for a fast start and quick answers'],
  ['log.json', 'which log this is, and its seal at the last stop'],
  ['seal.key', 'the key that its seals are signed with'],
  ['service-account.key', 'the key that tokens of service accounts are signed with'],
  ['kubereel.json', 'the cluster’s port, certificates and token'],
  ['kubeconfig', 'its kubeconfig'],
  ['options.json', 'options of the apps'],
  ['ca.crt', 'its certificate authority, for the apps'],
  ['store.crt', 'the certificate of its event store'],
  ['store.key', 'the key of its event store'],
];

export function logFolderOf(folder: string): string {
  return join(folder, 'log');
}

/** Made when the first token is asked for, or checked. */
export function accountKeyPathOf(folder: string): string {
  return join(folder, 'service-account.key');
}

export function kubeconfigPathOf(folder: string): string {
  return join(folder, 'kubeconfig');
}

/** @throws CliError saying why nothing can be kept there */
export function makeDataFolder(folder: string): string | undefined {
  try {
    return makeFolder(folder);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

export function unwritable(folder: string, error: unknown): CliError {
  return new CliError(
    `nothing can be kept in ${folder}: ${reasonOf(error)}`,
    'Name a folder that you may write to with --data, or keep nothing: --ephemeral.',
  );
}

/** What a file system refused, in words, with its code. */
export function reasonOf(error: unknown): string {
  const { code = 'unknown', message } = error as NodeJS.ErrnoException;
  return `${reasons[code] ?? message} (${code})`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there and cannot be made',
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'it is on a medium that can only be read',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file of that name',
  ENOSPC: 'the disk is full',
};

/** Makes the folder that a file will be in. @throws CliError naming the file */
export function makeFolderOf(path: string): void {
  const folder = dirname(path);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new CliError(`${path} cannot be written: ${reasonOf(error)}`);
  }
}

/** Writes a file whole or not at all, and makes its folder. @throws CliError naming the file where there can be no such folder */
export function writeAtomically(path: string, text: string, mode?: number): void {
  makeFolderOf(path);
  writeWhole(path, text, { mode });
}

export function readIdentity(folder: string): ClusterIdentity | undefined {
  const path = identityPathOf(folder);
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

export async function createIdentity(options: {
  port: number;
  host: string;
  seed?: string;
  nodes?: string;
  now: number;
}): Promise<ClusterIdentity> {
  const { createCertificates, createFrontProxy } = await import('#libs/app-shell/certificates');
  const names = ['localhost', '127.0.0.1', '::1', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  const hosts = [...new Set([...names, ...addressesOf(options.host)])];
  const [{ caPrivateKey, ...certificates }, frontProxy] = await Promise.all([
    createCertificates({ hosts, now: options.now }),
    createFrontProxy(options.now),
  ]);
  return {
    cluster: clusterName,
    seed: options.seed ?? randomBytes(8).toString('hex'),
    port: options.port,
    ...(options.nodes === undefined ? {} : { nodes: options.nodes }),
    token: randomBytes(24).toString('base64url'),
    ...certificates,
    signer: { certificate: certificates.ca, privateKey: caPrivateKey },
    frontProxy,
  };
}

/** The identity of an older cluster with what it lacks: a CA that signs, since the key of its own was not kept, and a front proxy's certificate. */
export async function completed(identity: ClusterIdentity, now: number): Promise<ClusterIdentity> {
  const { signer, frontProxy } = identity;
  if (signer && frontProxy) return identity;
  const { createAuthority, createFrontProxy } = await import('#libs/app-shell/certificates');
  return { ...identity, signer: signer ?? (await createAuthority(now)), frontProxy: frontProxy ?? (await createFrontProxy(now)) };
}

/** PEM of those whose certificates tell who a client is. */
export function clientCaOf({ ca, signer }: ClusterIdentity): string {
  return signer && signer.certificate !== ca ? `${ca}${signer.certificate}` : ca;
}

/** Names under which a server that listens there is reached. */
function addressesOf(host: string): string[] {
  if (host !== '0.0.0.0' && host !== '::') return [host];
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).filter(({ scopeid }) => !scopeid).map(({ address }) => address),
  );
}

export function writeIdentity(folder: string, identity: ClusterIdentity): void {
  writeAtomically(identityPathOf(folder), textOf(identity));
}

/** For a new cluster. @throws CliError when another has been begun there meanwhile. */
export function writeFirstIdentity(folder: string, identity: ClusterIdentity): void {
  try {
    writeFileSync(identityPathOf(folder), textOf(identity), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(folder, error);
    throw new CliError(`another kubereel up has just begun a cluster in ${folder}`, 'Use that one, or name another folder with --data.');
  }
}

/** Whatever of a cluster lies in the folder by now. @returns deletes what has come since */
export function undoOf(folder: string): () => void {
  const before = new Set(folderContents.map(([name]) => name).filter((name) => existsSync(join(folder, name))));
  return () => {
    for (const [name] of folderContents) if (!before.has(name)) rmSync(join(folder, name), { recursive: true, force: true });
  };
}

function identityPathOf(folder: string): string {
  return join(folder, 'kubereel.json');
}

function textOf(identity: ClusterIdentity): string {
  return `${JSON.stringify(identity, null, 2)}\n`;
}
