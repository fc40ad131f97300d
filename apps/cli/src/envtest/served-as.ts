import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppOptions } from '#libs/app-shell';
import { checkOptions } from '#libs/validation';
import { CliError } from '../cli-error';
import { admissionSettings } from '../up/admission-option';
import { auditSettings } from '../up/audit-option';
import { checkControllers } from '../up/app-controllers';
import { parseApps } from '../up/apps';
import {
  accountKeyPathOf,
  clusterName,
  createIdentity,
  logFolderOf,
  makeDataFolder,
  readIdentity,
  writeIdentity,
  type ClusterIdentity,
} from '../up/data-folder';
import type { OneProcessPlan } from '../up/one-process';
import { programVersion } from '../version';
import { allOf, lastOf, switchOf, type GivenFlags } from './component-flags';

/** As under envtest: what an API server does by itself, and what of it other apps of kubereel do. */
const appsDefault = 'apiserver,priority-admission,pdb-controller/eviction';

const component = 'kube-apiserver';

/**
 * What the flags of a kube-apiserver come to.
 * @param folder where the cluster is kept; it is resumed where one is there
 * @param environment KUBEREEL_APPS: apps beside the API server
 * @throws CliError for the first value that is off
 */
export async function servedPlan(given: GivenFlags, folder: string, environment: NodeJS.ProcessEnv): Promise<OneProcessPlan> {
  const selection = parseApps([appsDefault, environment.KUBEREEL_APPS ?? ''].join(','));
  const admission = await admissionSettings({
    enableAdmissionPlugins: listOf(given, 'enable-admission-plugins'),
    disableAdmissionPlugins: listOf(given, 'disable-admission-plugins'),
    admissionControlConfigFile: lastOf(given, 'admission-control-config-file'),
  });
  const audit = await auditOf(given);
  const host = lastOf(given, 'bind-address') ?? '127.0.0.1';
  const port = Number(lastOf(given, 'secure-port') ?? 6443);
  const known = readIdentity(folder);
  const serving = servingPair(given);
  const identity = known ?? (await createIdentity({ port, host, now: Date.now() }));
  const certificate = serving?.certificate ?? identity.certificate;
  makeDataFolder(folder);
  if (!known) writeIdentity(folder, identity);
  if (!serving) keepPair(given, identity);
  const options: AppOptions = {
    cluster: clusterName,
    seed: identity.seed,
    build: programVersion(),
    controllers: selection.controllers,
    apiserver: {
      host,
      port,
      certificate,
      privateKey: serving?.privateKey ?? identity.privateKey,
      ca: serving ? certificate : identity.ca,
      clientCa: fileOf(given, 'client-ca-file') ?? identity.ca,
      ...(identity.frontProxy ? { frontProxy: identity.frontProxy } : {}),
      token: randomBytes(24).toString('base64url'),
      apps: selection.apps,
      ...(admission ? { admission } : {}),
      ...(audit ? { audit: audit.options } : {}),
    },
    controllerManager: { nodes: { count: 0, cpu: '4', memory: '8Gi', pods: 110 } },
    serviceAccounts: {
      issuer: given.get('service-account-issuer')?.[0],
      audiences: given.has('api-audiences') ? allOf(given, 'api-audiences') : undefined,
      keyFile: pathOf(given, 'service-account-signing-key-file') ?? accountKeyPathOf(folder),
      publicKeyFiles: given.get('service-account-key-file')?.map((path) => resolve(path)),
      extendsExpiration: switchOf(component, given, 'service-account-extend-token-expiration'),
    },
  };
  checkOptions(AppOptions, options);
  await checkControllers(selection, options);
  const source = { kind: 'embedded', folder: logFolderOf(folder), durability: 'default' } as const;
  return { folder, ephemeral: false, apps: selection.apps, options, source, clock: { speed: 1 }, snapshots: false };
}

function listOf(given: GivenFlags, flag: string): string | undefined {
  return given.has(flag) ? allOf(given, flag).join(',') : undefined;
}

/** What the server shows to its clients; undefined: nothing is there, and it makes its own. */
function servingPair(given: GivenFlags): { certificate: string; privateKey: string } | undefined {
  const certificate = fileOf(given, 'tls-cert-file');
  const privateKey = fileOf(given, 'tls-private-key-file');
  if (certificate !== undefined && privateKey !== undefined) return { certificate, privateKey };
  const [certificatePath, keyPath] = pairPaths(given);
  if (!existsSync(certificatePath) || !existsSync(keyPath)) return undefined;
  return { certificate: readFileSync(certificatePath, 'utf8'), privateKey: readFileSync(keyPath, 'utf8') };
}

/** Clients find there what they have to trust, as upstream leaves it. */
function keepPair(given: GivenFlags, { certificate, ca, privateKey }: ClusterIdentity): void {
  if (lastOf(given, 'cert-dir') === undefined) return;
  const [certificatePath, keyPath] = pairPaths(given);
  mkdirSync(resolve(lastOf(given, 'cert-dir') as string), { recursive: true });
  writeFileSync(certificatePath, `${certificate}${ca}`);
  writeFileSync(keyPath, privateKey, { mode: 0o600 });
}

function pairPaths(given: GivenFlags): [string, string] {
  const folder = resolve(lastOf(given, 'cert-dir') ?? '/var/run/kubernetes');
  return [join(folder, 'apiserver.crt'), join(folder, 'apiserver.key')];
}

function pathOf(given: GivenFlags, flag: string): string | undefined {
  const path = lastOf(given, flag);
  return path === undefined ? undefined : resolve(path);
}

/** @throws CliError naming the flag and the file */
function fileOf(given: GivenFlags, flag: string): string | undefined {
  const path = pathOf(given, flag);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CliError(`${component}: --${flag}: ${(error as Error).message}`);
  }
}

/** As upstream has it, nothing is recorded where one of the two is missing. */
async function auditOf(given: GivenFlags): ReturnType<typeof auditSettings> {
  const [auditPolicyFile, auditLogPath] = [lastOf(given, 'audit-policy-file'), lastOf(given, 'audit-log-path')];
  if (auditPolicyFile === undefined || auditLogPath === undefined) return undefined;
  return auditSettings({
    auditPolicyFile,
    auditLogPath,
    auditLogFormat: lastOf(given, 'audit-log-format'),
    auditLogMaxsize: lastOf(given, 'audit-log-maxsize'),
    auditLogMaxbackup: lastOf(given, 'audit-log-maxbackup'),
    auditLogMaxage: lastOf(given, 'audit-log-maxage'),
  });
}
