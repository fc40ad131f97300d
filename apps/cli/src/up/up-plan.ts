import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AppOptions, LogSource } from '#libs/app-shell';
import { CliError } from '../cli-error';
import type { UpFlags } from './up-flags';
import { parseApps, type AppName } from './apps';
import {
  createIdentity,
  defaultDataFolder,
  defaultPort,
  kubeconfigPathOf,
  logFolderOf,
  readIdentity,
  writeIdentity,
  type ClusterIdentity,
} from './data-folder';
import { parseNodes } from './nodes-option';
import { pluginRegistry, readSchedulerConfig } from './scheduler-config';

/** Everything `up` was asked for, checked, before anything is started. */
export interface UpPlan {
  folder: string;
  ephemeral: boolean;
  /** The folder is ours for this run only. */
  temporary: boolean;
  fresh: boolean;
  identity: ClusterIdentity;
  apps: AppName[];
  options: AppOptions;
  source: LogSource;
  kubeconfig: string;
  ownKubeconfig: boolean;
  readyFile: string | undefined;
  speed: number;
  split: boolean;
  snapshots: boolean;
  /** To be said before the cluster starts. */
  warnings: readonly string[];
}

export async function planUp(flags: UpFlags): Promise<UpPlan> {
  const port = flags.port === undefined ? undefined : parsePort(flags.port);
  const { apps, controllers } = parseApps(flags.apps);
  const nodes = parseNodes(flags.nodes);
  const durability = parseDurability(flags.durability);
  const speed = parseSpeed(flags.clock);
  const plugins = (flags.schedulerPlugins ?? []).map((file) => resolve(file));
  if (flags.schedulerConfig === undefined) await pluginRegistry(plugins);
  const scheduler = flags.schedulerConfig === undefined ? undefined : await readSchedulerConfig(flags.schedulerConfig, plugins);
  const ephemeral = Boolean(flags.ephemeral);
  const folder = flags.data ? resolve(flags.data) : ephemeral ? mkdtempSync(join(tmpdir(), 'kubereel-')) : resolve(defaultDataFolder);
  mkdirSync(folder, { recursive: true });
  const known = ephemeral ? undefined : readIdentity(folder);
  const identity = known ?? (await createIdentity({ port: port || defaultPort, seed: flags.seed, now: Date.now() }));
  if (known && flags.seed && flags.seed !== known.seed) {
    throw new CliError(
      `the cluster in ${folder} has seed "${known.seed}"`,
      'Leave --seed away to resume it, or use another --data folder.',
    );
  }
  if (!ephemeral) writeIdentity(folder, port ? { ...identity, port } : identity);
  const options: AppOptions = {
    cluster: identity.cluster,
    seed: identity.seed,
    controllers,
    apiserver: {
      host: flags.host,
      port: port ?? identity.port,
      certificate: identity.certificate,
      privateKey: identity.privateKey,
      ca: identity.ca,
      token: identity.token,
    },
    scheduler: { config: scheduler?.config, ...(plugins.length > 0 ? { plugins } : {}) },
    kubelet: {},
    controllerManager: { nodes },
  };
  return {
    folder,
    ephemeral,
    temporary: ephemeral && !flags.data,
    fresh: !known,
    identity,
    apps,
    options,
    source: sourceOf(flags, folder, ephemeral, durability),
    kubeconfig: flags.kubeconfig ? resolve(flags.kubeconfig) : kubeconfigPathOf(folder),
    ownKubeconfig: flags.kubeconfig === undefined,
    readyFile: flags.readyFile && resolve(flags.readyFile),
    speed,
    split: Boolean(flags.split),
    snapshots: flags.snapshots && !ephemeral,
    warnings: scheduler?.warnings ?? [],
  };
}

function sourceOf(flags: UpFlags, folder: string, ephemeral: boolean, durability: 'default' | 'full'): LogSource {
  if (flags.eventStore) return { kind: 'eventstoredb', connectionString: flags.eventStore };
  return ephemeral ? { kind: 'memory' } : { kind: 'embedded', folder: logFolderOf(folder), durability };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new CliError(`--port: "${text}" is no port`, 'A number from 0 to 65535; 0 takes any free one.', 2);
  return port;
}

function parseDurability(text: string): 'default' | 'full' {
  if (text === 'default' || text === 'full') return text;
  throw new CliError(`--durability: "${text}" is not known`, 'default survives kill -9; full survives power loss.', 2);
}

function parseSpeed(text: string): number {
  if (text === 'real') return 1;
  const speed = Number(text.replace(/^[×x]/, ''));
  if (!/^[×x]/.test(text) || !(speed > 0 && speed <= 10_000))
    throw new CliError(`--clock: "${text}" is not understood`, 'real, or ×N with N up to 10000, e.g. ×60.', 2);
  return speed;
}
