import { basename } from 'node:path';
import { parseQuantity, type Json, type JsonObject } from '#libs/kernel';
import { CliError } from '../cli-error';
import { ApiClient, type ApiAnswer } from '../live/api-client';
import { liveDrainCluster } from '../live/live-drain';
import { drainNode } from '../simulation/drain';
import { readYaml } from '../up/read-yaml';
import type { NodeFlags } from './node-flags';

type Act = (api: ApiClient, name: string, flags: NodeFlags) => Promise<string>;

/** What can befall a node, with the flags that say how. */
const befalling: Readonly<Record<string, readonly (keyof NodeFlags)[]>> = {
  fail: ['machine'],
  recover: [],
  'restart-kubelet': [],
  reboot: [],
  pressure: ['memory', 'disk', 'inodes', 'pids'],
  runtime: ['runtime', 'network'],
  shutdown: ['grace', 'critical'],
  static: ['file', 'remove'],
};
const onNodes: Readonly<Record<string, { flags: readonly (keyof NodeFlags)[]; act: Act }>> = {
  add: { flags: ['cpu', 'memory', 'pods', 'zone'], act: add },
  drain: { flags: ['timeout'], act: drain },
};

/** @throws CliError where the cluster refuses it, or the command line makes no sense. */
export async function actOnNodes(action: string, names: readonly string[], flags: NodeFlags): Promise<void> {
  const known = Object.hasOwn(befalling, action) ? befalling[action] : onNodes[action]?.flags;
  if (!known) {
    const actions = [...Object.keys(befalling), ...Object.keys(onNodes)].join(', ');
    throw new CliError(`there is no action "${action}"`, `There are: ${actions}`, 2);
  }
  const strange = (Object.keys(flags) as (keyof NodeFlags)[]).find((flag) => !known.includes(flag));
  if (strange) throw new CliError(`node ${action} takes no --${strange}`, 'See: kubereel node --help', 2);
  if (action === 'static' && (flags.file === undefined) === (flags.remove === undefined))
    throw new CliError('node static takes either --file or --remove', 'See: kubereel node --help', 2);
  const body = optionsOf(flags);
  const api = ApiClient.fromKubeconfig();
  try {
    for (const name of names) {
      const act = onNodes[action]?.act;
      const text = act ? await act(api, name, flags) : await befall(api, name, action, body);
      process.stdout.write(`${text}\n`);
    }
  } finally {
    api.close();
  }
}

/** The flags as the API takes them. @throws CliError on what is no quantity, state or number */
function optionsOf({ machine, memory, disk, inodes, pids, runtime, network, grace, critical, file, remove }: NodeFlags): JsonObject {
  return {
    ...(machine ? { machine } : {}),
    ...(memory === undefined ? {} : { memory: quantity('memory', memory) }),
    ...(disk === undefined ? {} : { disk: quantity('disk', disk) }),
    ...(inodes === undefined ? {} : { inodes: quantity('inodes', inodes) }),
    ...(pids === undefined ? {} : { pids: quantity('pids', pids) }),
    ...(runtime === undefined ? {} : { runtime: state('runtime', runtime) }),
    ...(network === undefined ? {} : { network: state('network', network) }),
    ...(grace === undefined ? {} : { gracePeriod: seconds('grace', grace) }),
    ...(critical === undefined ? {} : { critical: seconds('critical', critical) }),
    ...(file === undefined ? {} : { file: basename(file), manifest: readYaml(file, '--file') as Json }),
    ...(remove === undefined ? {} : { file: basename(remove) }),
  };
}

function quantity(flag: string, text: string): string {
  if (parseQuantity(text)) return text;
  throw new CliError(`--${flag} ${text}: not a quantity`, 'A quantity is such as 500Mi or 3Gi.', 2);
}

function state(flag: string, text: string): string {
  if (text === 'up' || text === 'down') return text;
  throw new CliError(`--${flag} ${text}: up or down`, undefined, 2);
}

function seconds(flag: string, text: string): number {
  const match = /^(\d+)s?$/.exec(text);
  if (match) return Number(match[1]);
  throw new CliError(`--${flag} ${text}: not a number of seconds`, undefined, 2);
}

async function befall(api: ApiClient, name: string, action: string, body: JsonObject): Promise<string> {
  const { events } = accepted(await api.call('POST', `/kubereel/nodes/${encodeURIComponent(name)}/${action}`, body), name);
  return (events as string[]).length > 0 ? `node/${name} ${done[action]}` : `node/${name} unchanged`;
}

const done: Readonly<Record<string, string>> = {
  fail: 'has failed',
  recover: 'has recovered',
  'restart-kubelet': 'has a new kubelet process',
  reboot: 'has been rebooted',
  pressure: 'has another load',
  runtime: 'has another runtime state',
  shutdown: 'is shutting down',
  static: 'has other static pods',
};

async function add(api: ApiClient, name: string, { cpu = '4', memory = '8Gi', pods = '110', zone }: NodeFlags): Promise<string> {
  const capacity = { cpu: quantity('cpu', cpu), memory: quantity('memory', memory), pods: quantity('pods', pods) };
  const labels = zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, status: { capacity, allocatable: capacity } };
  accepted(await api.call('POST', '/api/v1/nodes', node), name);
  return `node/${name} added`;
}

async function drain(api: ApiClient, name: string, { timeout }: NodeFlags): Promise<string> {
  accepted(await api.call('GET', `/api/v1/nodes/${encodeURIComponent(name)}`), name);
  const timeoutMs = timeout === undefined ? undefined : seconds('timeout', timeout) * 1_000;
  if (await drainNode(liveDrainCluster(api), name, { timeoutMs })) return `node/${name} drained`;
  throw new CliError(`node/${name}: some pods are still there`, `See them: kubectl get pods -A --field-selector spec.nodeName=${name}`);
}

function accepted({ code, body }: ApiAnswer, name: string): JsonObject {
  if (code < 300) return body;
  throw new CliError(`node/${name}: ${String(body.message ?? `the server answered ${code}`)}`);
}
