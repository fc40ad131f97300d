import { programVersion } from '../version';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { AppOptions, type ApiserverOptions, type LogSource } from '#libs/app-shell';
import { checkOptions } from '#libs/validation';
import { CliError } from '../cli-error';
import type { UpFlags } from './up-flags';
import { exposedPassword, givenStore, rememberedStore, storeVariable, withoutPassword, type StoreAddress } from '../store/store-address';
import { admissionSettings } from './admission-option';
import { auditSettings } from './audit-option';
import { checkControllers, missingNodes } from './app-controllers';
import { parseApps, type AppName } from './apps';
import {
  accountKeyPathOf,
  clientCaOf,
  completed,
  createIdentity,
  defaultDataFolder,
  defaultPort,
  kubeconfigPathOf,
  logFolderOf,
  makeDataFolder,
  makeFolderOf,
  readIdentity,
  undoOf,
  writeFirstIdentity,
  writeIdentity,
  type ClusterIdentity,
} from './data-folder';
import { parseClock, type ClockSetting } from './clock-option';
import { parseCompaction } from './compaction-option';
import { controllerManagerSettings } from './controller-manager-option';
import { parseHistory } from './history-option';
import { parseNodes } from './nodes-option';
import { openness } from './port-check';
import { closeToOthers } from './private-folder';
import { kubeletSettings } from './kubelet-config';
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
  clock: ClockSetting;
  split: boolean;
  snapshots: boolean;
  /** To be said before the cluster starts. */
  warnings: readonly string[];
}

/** Nothing is written here but a temporary folder's name. @throws CliError for the first thing that is off. */
export async function planUp(flags: UpFlags): Promise<UpPlan> {
  const port = flags.port === undefined ? undefined : parsePort(flags.port);
  const selection = parseApps(flags.apps);
  if (flags.nodes !== undefined) parseNodes(flags.nodes);
  const durability = parseDurability(flags.durability);
  const clock = parseClock(flags.clock);
  const compaction = parseCompaction(flags.compactAfter);
  const [admission, audit, manager] = [await admissionSettings(flags), await auditSettings(flags), controllerManagerSettings(flags)];
  const plugins = (flags.schedulerPlugins ?? []).map((file) => resolve(file));
  if (flags.schedulerConfig === undefined) await pluginRegistry(plugins);
  const scheduler = flags.schedulerConfig === undefined ? undefined : await readSchedulerConfig(flags.schedulerConfig, plugins);
  const ephemeral = Boolean(flags.ephemeral);
  const folder = flags.data ? resolve(flags.data) : ephemeral ? mkdtempSync(join(tmpdir(), 'kubereel-')) : resolve(defaultDataFolder);
  const known = ephemeral ? undefined : readIdentity(folder);
  const store = storeOf(flags, folder, known);
  const nodes = nodesOf(flags.nodes, known);
  const identity = known
    ? await completed(known, Date.now())
    : await createIdentity({ port: port || defaultPort, host: flags.host, seed: flags.seed, nodes: nodes.text, now: Date.now() });
  // Apps in processes of their own share the key by its file.
  const keepsKeys = !ephemeral || Boolean(flags.split);
  if (known && flags.seed && flags.seed !== known.seed) {
    throw new CliError(
      `the cluster in ${folder} has seed "${known.seed}"`,
      'Leave --seed away to resume it, or use another --data folder.',
    );
  }
  const options: AppOptions = {
    cluster: identity.cluster,
    seed: identity.seed,
    build: programVersion(),
    controllers: selection.controllers,
    apiserver: {
      host: flags.host,
      port: port ?? identity.port,
      certificate: identity.certificate,
      privateKey: identity.privateKey,
      ca: identity.ca,
      clientCa: clientCaOf(identity),
      ...(identity.frontProxy ? { frontProxy: identity.frontProxy } : {}),
      token: identity.token,
      apps: selection.apps,
      ...keptOf(flags, selection.apps),
      ...(compaction ? { compaction } : {}),
      ...(admission ? { admission } : {}),
      ...(audit ? { audit: audit.options } : {}),
      ...inFlightOf(flags),
    },
    scheduler: { config: scheduler?.config, ...(plugins.length > 0 ? { plugins } : {}) },
    kubelet: await kubeletSettings(flags),
    controllerManager: { nodes: parseNodes(nodes.text), ...(identity.signer ? { signer: identity.signer } : {}), ...manager },
    serviceAccounts: {
      ...(flags.serviceAccountIssuer === undefined ? {} : { issuer: flags.serviceAccountIssuer }),
      ...(keepsKeys ? { keyFile: accountKeyPathOf(folder) } : {}),
    },
  };
  checkOptions(AppOptions, options);
  await checkControllers(selection, options);
  const absent = known ? undefined : missingNodes(selection, parseNodes(nodes.text).count);
  const open = selection.apps.includes('apiserver') ? openness(flags.host) : undefined;
  return {
    folder,
    ephemeral,
    temporary: ephemeral && !flags.data,
    fresh: !known,
    identity: { ...identity, nodes: nodes.text, port: port || identity.port, ...(store ? { eventStore: withoutPassword(store.url) } : {}) },
    apps: selection.apps,
    options,
    source: sourceOf(flags, folder, store, durability),
    kubeconfig: flags.kubeconfig ? resolve(flags.kubeconfig) : kubeconfigPathOf(folder),
    ownKubeconfig: flags.kubeconfig === undefined,
    readyFile: flags.readyFile && resolve(flags.readyFile),
    clock,
    split: Boolean(flags.split),
    snapshots: flags.snapshots && !ephemeral,
    warnings: [
      ...[scheduler, audit].flatMap((read) => read?.warnings ?? []),
      ...[nodes.ignored, absent, open, store && exposedPassword(store)].filter((warning) => warning !== undefined),
    ],
  };
}

/** What of requests, of files and of what nodes measure is kept or shown. */
function keptOf({ keepRequests, kwokFiles, metricsServer }: UpFlags, apps: readonly AppName[]): Partial<ApiserverOptions> {
  return {
    ...(keepRequests ? { keepsRequests: true } : {}),
    ...(kwokFiles === undefined ? {} : { kwokFiles: resolve(kwokFiles) }),
    // Where no kubelet runs, nobody measures.
    ...(metricsServer && apps.includes('kubelet') ? { metricsServer: true } : {}),
  };
}

const nodesDefault = '3';

/** Nodes are made once. What an older cluster began with stays in force; another wish is answered with how to have it. */
function nodesOf(wanted: string | undefined, known: ClusterIdentity | undefined): { text: string; ignored?: string } {
  const begun = known?.nodes;
  if (!known || (begun !== undefined && parseNodes(begun).count === 0)) return { text: wanted ?? begun ?? nodesDefault };
  if (wanted === undefined || wanted === begun) return { text: begun ?? nodesDefault };
  const { count, cpu, memory, pods } = parseNodes(begun ?? wanted);
  const name = begun === undefined ? 'one-more' : `node-${count + 1}`;
  const capacity = { cpu, memory, pods: String(pods) };
  const ignored = [
    `--nodes ${wanted} is for a new cluster; this one keeps the nodes it has. To add one:`,
    `  echo '${JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity } })}' | kubectl apply -f -`,
  ];
  return { text: begun ?? wanted, ignored: ignored.join('\n') };
}

/**
 * Writes what a cluster needs before it starts: its folder and its identity.
 * @returns takes it back when the start fails, so that the next one does not find half a cluster
 * @throws CliError when nothing can be kept there
 */
export function prepareFolder({ folder, fresh, ephemeral, identity, kubeconfig, readyFile }: UpPlan): () => void {
  for (const path of [kubeconfig, readyFile]) if (path !== undefined && dirname(path) !== folder) makeFolderOf(path);
  const made = makeDataFolder(folder);
  closeToOthers(folder);
  if (ephemeral) return () => undefined;
  if (!fresh) {
    writeIdentity(folder, identity);
    return () => undefined;
  }
  const undo = undoOf(folder);
  writeFirstIdentity(folder, identity);
  return () => {
    undo();
    if (made !== undefined) removeEmpty(folder);
  };
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something else is in there.
  }
}

function sourceOf(flags: UpFlags, folder: string, store: StoreAddress | undefined, durability: 'default' | 'full'): LogSource {
  const ephemeral = Boolean(flags.ephemeral);
  const inThisProcess = ephemeral && !flags.split && !store;
  const historyBytesMax = parseHistory(flags.history, inThisProcess);
  if (store) return { kind: 'eventstoredb', connectionString: store.url };
  return ephemeral ? { kind: 'memory', historyBytesMax } : { kind: 'embedded', folder: logFolderOf(folder), durability };
}

/**
 * The store of this cluster: that which was given, else that which the folder remembers; undefined: the folder itself, or memory.
 * @throws CliError when the cluster's log is in its folder
 */
function storeOf(flags: UpFlags, folder: string, known: ClusterIdentity | undefined): StoreAddress | undefined {
  const given = givenStore(flags);
  if (flags.ephemeral && given?.from === 'environment') return undefined;
  if (known?.eventStore !== undefined) return rememberedStore(known.eventStore, given);
  if (!given || !known || !existsSync(logFolderOf(folder))) return given;
  const how = given.from === 'environment' ? `${storeVariable} is set` : 'an event store was named';
  throw new CliError(
    `${how}, but the cluster in ${folder} has its log in the folder`,
    'Leave the store away to resume it, or name another folder with --data.',
    2,
  );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new CliError(`--port: "${text}" is no port`, 'A number from 0 to 65535; 0 takes any free one.', 2);
  return port;
}

function inFlightOf({ maxRequestsInflight, maxMutatingRequestsInflight }: UpFlags): Partial<ApiserverOptions> {
  const read = (flag: string, text: string): number => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new CliError(`${flag}: "${text}" is no number of requests`, 'A whole number; 0 is any number of them.', 2);
  };
  return {
    ...(maxRequestsInflight === undefined ? {} : { requestsInFlightMax: read('--max-requests-inflight', maxRequestsInflight) }),
    ...(maxMutatingRequestsInflight === undefined
      ? {}
      : { mutatingRequestsInFlightMax: read('--max-mutating-requests-inflight', maxMutatingRequestsInflight) }),
  };
}

function parseDurability(text: string): 'default' | 'full' {
  if (text === 'default' || text === 'full') return text;
  throw new CliError(`--durability: "${text}" is not known`, 'default survives kill -9; full survives power loss.', 2);
}
