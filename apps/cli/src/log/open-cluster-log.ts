import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { openEmbeddedLog, connectEventStoreDb, type EventLog } from '#libs/event-log';
import { CliError } from '../cli-error';
import { ApiClient } from '../live/api-client';
import { requireStore } from '../store/require-store';
import { exposedPassword, givenStore, rememberedStore, withoutPassword, type StoreAddress, type StoreFlags } from '../store/store-address';
import { clusterName, defaultDataFolder, logFolderOf, readIdentity } from '../up/data-folder';
import { kubeconfigContext } from '../up/kubeconfig';
import { RemoteLog } from './remote-log';

export interface ClusterLog {
  log: EventLog;
  cluster: string;
  seed: string | undefined;
  /** What to call it in messages. */
  place: string;
  /** The API server it is asked through. */
  server?: string;
  /** The data folder that it lies in, which remembers some of its events. */
  folder?: string;
  /** Of a cluster in memory that has reached its bound: everything up to this position has been let go. */
  forgotten?: number;
}

export interface FindFlags extends StoreFlags {
  data?: string;
  /** What comes from a server comes without what Secrets hold: enough for showing. */
  secrets?: 'shown' | 'hidden';
}

/**
 * The log a question is asked of: that of a data folder (its cluster running or not), or of an event store. Read only.
 * @throws CliError when there is none.
 */
export async function openClusterLog(flags: FindFlags): Promise<ClusterLog> {
  const given = givenStore(flags);
  if (given && given.from !== 'environment') return openStore(given, undefined);
  if (!flags.data && isOursElsewhere()) return openRemoteLog(flags.secrets);
  const folder = resolve(flags.data ?? folderOfKubeconfig() ?? defaultDataFolder);
  const identity = readIdentity(folder);
  if (identity?.eventStore !== undefined) return openStore(rememberedStore(identity.eventStore, given), identity.cluster);
  if (!identity || !existsSync(logFolderOf(folder))) {
    if (given && !flags.data) return openStore(given, undefined);
    if (!flags.data && process.env.KUBECONFIG) return openRemoteLog(flags.secrets);
    throw new CliError(`there is no cluster in ${folder}`, 'Name its folder with --data, or start one with: kubereel up');
  }
  const log = await openEmbeddedLog({ folder: logFolderOf(folder), readOnly: true });
  return { log, cluster: identity.cluster, seed: identity.seed, place: folder, folder };
}

/** The seed is asked of the log: a second cluster folder on the same store has drawn one of its own. */
async function openStore(address: StoreAddress, cluster = clusterName): Promise<ClusterLog> {
  const exposed = exposedPassword(address);
  if (exposed !== undefined) process.stderr.write(`kubereel: ${exposed}\n`);
  await requireStore(address.url);
  return { log: connectEventStoreDb({ connectionString: address.url }), cluster, seed: undefined, place: withoutPassword(address.url) };
}

/** Of the server in $KUBECONFIG: a cluster in memory, or one whose folder is elsewhere. */
async function openRemoteLog(secrets: FindFlags['secrets']): Promise<ClusterLog> {
  const api = ApiClient.fromKubeconfig();
  const log = new RemoteLog(api, secrets);
  const { cluster, seed, forgotten } = await log.identity();
  return { log, cluster, seed, place: api.server, server: api.server, forgotten };
}

/** @throws CliError for a question that needs the log from its first event on. */
export function demandWhole({ forgotten, place }: ClusterLog, command: string): void {
  if (forgotten === undefined) return;
  throw new CliError(
    `${command} needs the whole history, and the cluster at ${place} has let go of it up to position ${forgotten}`,
    'It keeps its newest part in memory: start it with --history all, or in a data folder (without --ephemeral).',
  );
}

/** A kubeconfig that `up` wrote lies in its data folder. */
function folderOfKubeconfig(): string | undefined {
  const path = process.env.KUBECONFIG?.split(':')[0];
  if (!path) return undefined;
  const folder = join(path, '..');
  return existsSync(join(folder, 'kubereel.json')) ? folder : undefined;
}

interface OurKubeconfig {
  'current-context'?: string;
  users?: { name: string; user: { token?: string } }[];
}

/** $KUBECONFIG leads to a cluster that an `up` began, and not to the one in the default folder: its cluster is in memory, or its folder is elsewhere. */
function isOursElsewhere(): boolean {
  const path = process.env.KUBECONFIG?.split(':')[0];
  if (!path || folderOfKubeconfig() !== undefined) return false;
  try {
    const config = parse(readFileSync(path, 'utf8')) as OurKubeconfig | null;
    if (config?.['current-context'] !== kubeconfigContext) return false;
    const token = config.users?.find(({ name }) => name === kubeconfigContext)?.user.token;
    return token !== readIdentity(resolve(defaultDataFolder))?.token;
  } catch {
    return false;
  }
}
