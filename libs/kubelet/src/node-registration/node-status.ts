import type { Condition, NodeRecord } from '#libs/cluster-state';
import { derivedId, derivedUid, formatTime, type JsonObject, type KubeObject } from '#libs/kernel';
import { notReadyMessage } from './node-ready';

/** Version that the simulated kubelets say they are. */
export const kubeletVersion = 'v1.34.4';

/** Capacity that a node has when nobody said otherwise. */
const defaultCapacity: Record<string, string> = { cpu: '4', 'ephemeral-storage': '100Gi', memory: '8Gi', pods: '110' };

/** What a healthy kubelet reports, in its order. */
const healthyConditions = [
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
] as const;

type Text = Record<string, string>;

/** Labels that a kubelet gives its node; those that are there stay. */
export function nodeLabels(node: KubeObject): Text {
  const given = node.metadata.labels ?? {};
  const arch = given['kubernetes.io/arch'] ?? 'amd64';
  const os = given['kubernetes.io/os'] ?? 'linux';
  return {
    'beta.kubernetes.io/arch': arch,
    'beta.kubernetes.io/os': os,
    'kubernetes.io/arch': arch,
    'kubernetes.io/hostname': node.metadata.name,
    'kubernetes.io/os': os,
    ...given,
  };
}

/** What the status rests on beside the Node itself. */
export interface StatusContext {
  readonly now: number;
  /** For a node that has none. */
  readonly address: () => string;
  /** What is true of the node and its machine. */
  readonly record: NodeRecord;
  /** The conditions are posted anew: the kubelet begins, or is heard again, or has found that they are otherwise. */
  readonly posts: boolean;
}

/**
 * The node's status as its kubelet reports it. What a client gave of capacity, addresses and node info stays; allocatable
 * follows capacity, also for resources advertised later. Conditions are written when the kubelet begins, after a silence, and when readiness
 * changes; in between they are left as they are found: a kubelet posts them every 5 minutes, which says nothing.
 */
export function nodeStatusOf(node: KubeObject, context: StatusContext): JsonObject {
  const old = (node.status ?? {}) as JsonObject & { capacity?: Text; allocatable?: Text };
  const capacity = { ...defaultCapacity, ...old.allocatable, ...old.capacity };
  return {
    ...old,
    capacity,
    allocatable: { ...capacity, ...old.allocatable },
    conditions: conditionsOf(old.conditions as unknown as Condition[] | undefined, context) as unknown as JsonObject[],
    addresses: addressesOf(node, context.address),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfoOf(node, context),
    runtimeHandlers: old.runtimeHandlers ?? [handler(''), handler('runc')],
  };
}

function handler(name: string): JsonObject {
  return { name, features: { recursiveReadOnlyMounts: false, userNamespaces: false } };
}

function conditionsOf(old: Condition[] | undefined, { now, record, posts }: StatusContext): Condition[] {
  const found = new Map(old?.map((condition) => [condition.type, condition]));
  if (old && !posts && isWhole(found)) return old;
  const time = formatTime(now);
  const own = healthyConditions.map((healthy): Condition => {
    const before = found.get(healthy.type);
    const { type, status, reason, message } = healthy.type === 'Ready' ? readyNow(record, now) : pressureNow(record, before, healthy);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  });
  const ownTypes = new Set<string>(healthyConditions.map(({ type }) => type));
  return [...(old ?? []).filter(({ type }) => !ownTypes.has(type)), ...own];
}

/** All conditions are there, and none is unknown: the kubelet has spoken, and nobody has given it up since. */
export function hasSpoken(node: KubeObject): boolean {
  const conditions = (node.status?.conditions ?? []) as Condition[];
  return isWhole(new Map(conditions.map((condition) => [condition.type, condition])));
}

function isWhole(found: ReadonlyMap<string, Condition>): boolean {
  return healthyConditions.every(({ type }) => (found.get(type)?.status ?? 'Unknown') !== 'Unknown');
}

type Told = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

function readyNow(record: NodeRecord, now: number): Told {
  const message = notReadyMessage(record, now);
  const ready = healthyConditions[3];
  return message === undefined ? ready : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message };
}

/** What the eviction manager holds for true; as it was, where it has never had anything to say. */
function pressureNow({ pressure }: NodeRecord, before: Condition | undefined, healthy: Told): Told {
  const short = pressed[healthy.type];
  if (pressure && short) return pressure.conditions.some(({ type }) => type === healthy.type) ? { ...healthy, ...short } : healthy;
  return before && before.status !== 'Unknown' ? before : healthy;
}

/** What is said of a node that is short of something. */
const pressed: Readonly<Record<string, Omit<Told, 'type'>>> = {
  MemoryPressure: { status: 'True', reason: 'KubeletHasInsufficientMemory', message: 'kubelet has insufficient memory available' },
  DiskPressure: { status: 'True', reason: 'KubeletHasDiskPressure', message: 'kubelet has disk pressure' },
  PIDPressure: { status: 'True', reason: 'KubeletHasInsufficientPID', message: 'kubelet has insufficient PID available' },
};

/** Conditions of pressure that the eviction manager sees otherwise than they were posted. */
export function changedPressure(node: KubeObject, { pressure }: NodeRecord): { type: string; isShort: boolean }[] {
  if (!pressure) return [];
  const posted = (node.status?.conditions ?? []) as Condition[];
  return Object.keys(pressed).flatMap((type) => {
    const isShort = pressure.conditions.some((condition) => condition.type === type);
    return (posted.find((condition) => condition.type === type)?.status === 'True') === isShort ? [] : [{ type, isShort }];
  });
}

function addressesOf(node: KubeObject, address: () => string): JsonObject[] {
  const given = (node.status?.addresses ?? []) as JsonObject[];
  const has = (type: string): boolean => given.some((entry) => entry.type === type);
  if (has('InternalIP') && has('Hostname')) return given;
  return [
    ...(has('InternalIP') ? [] : [{ type: 'InternalIP', address: address() }]),
    ...given,
    ...(has('Hostname') ? [] : [{ type: 'Hostname', address: node.metadata.name }]),
  ];
}

function nodeInfoOf(node: KubeObject, { record: { reboots = 0 } }: StatusContext): JsonObject {
  const { uid } = node.metadata;
  const labels = node.metadata.labels ?? {};
  const defaults: Text = {
    machineID: derivedId(`${uid}/machine`).replaceAll('-', ''),
    systemUUID: derivedUid(`${uid}/system`),
    bootID: bootId(uid, reboots),
    kernelVersion: '6.1.0-26-amd64',
    osImage: 'Debian GNU/Linux 12 (bookworm)',
    containerRuntimeVersion: 'containerd://2.1.4',
    kubeletVersion,
    kubeProxyVersion: '',
    operatingSystem: labels['kubernetes.io/os'] ?? 'linux',
    architecture: labels['kubernetes.io/arch'] ?? 'amd64',
  };
  const given = (node.status?.nodeInfo ?? {}) as JsonObject;
  const info: JsonObject = { ...defaults };
  // A stored Node has all fields, empty where nothing was said.
  for (const [key, value] of Object.entries(given)) if (value !== '' && value !== undefined) info[key] = value;
  if (reboots > 0) info.bootID = bootId(uid, reboots);
  return info;
}

/** Each time the machine begins anew it has another one. */
export function bootId(uid: string, reboots: number): string {
  return derivedUid(reboots === 0 ? `${uid}/boot` : `${uid}/boot/${reboots}`);
}
