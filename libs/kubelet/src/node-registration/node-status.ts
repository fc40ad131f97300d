import type { Condition } from '#libs/cluster-state';
import { derivedId, derivedUid, formatTime, type JsonObject, type KubeObject } from '#libs/kernel';

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

/**
 * The node's status as its kubelet reports it. What a client gave of capacity, addresses and node info stays; allocatable
 * follows capacity, also for resources advertised later. Conditions are written when the kubelet registers, and again after
 * a silence; in between they are left as they are found.
 */
export function nodeStatusOf(node: KubeObject, address: () => string, now: number): JsonObject {
  const old = (node.status ?? {}) as JsonObject & { capacity?: Text; allocatable?: Text };
  const capacity = { ...defaultCapacity, ...old.allocatable, ...old.capacity };
  return {
    ...old,
    capacity,
    allocatable: { ...capacity, ...old.allocatable },
    conditions: conditionsOf(old.conditions as unknown as Condition[] | undefined, now) as unknown as JsonObject[],
    addresses: addressesOf(node, address),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfoOf(node),
    runtimeHandlers: old.runtimeHandlers ?? [handler(''), handler('runc')],
  };
}

function handler(name: string): JsonObject {
  return { name, features: { recursiveReadOnlyMounts: false, userNamespaces: false } };
}

function conditionsOf(old: Condition[] | undefined, now: number): Condition[] {
  const found = new Map(old?.map((condition) => [condition.type, condition]));
  const complete = healthyConditions.every(({ type }) => found.has(type));
  const unknown = healthyConditions.some(({ type }) => found.get(type)?.status === 'Unknown');
  if (old && complete && !unknown) return old;
  const time = formatTime(now);
  const own = healthyConditions.map(({ type, status, reason, message }): Condition => {
    const before = found.get(type);
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time) : time;
    return { type, status, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  });
  const ownTypes = new Set<string>(healthyConditions.map(({ type }) => type));
  return [...(old ?? []).filter(({ type }) => !ownTypes.has(type)), ...own];
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

function nodeInfoOf(node: KubeObject): JsonObject {
  const { uid } = node.metadata;
  const labels = node.metadata.labels ?? {};
  const defaults: Text = {
    machineID: derivedId(`${uid}/machine`).replaceAll('-', ''),
    systemUUID: derivedUid(`${uid}/system`),
    bootID: derivedUid(`${uid}/boot`),
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
  return info;
}
