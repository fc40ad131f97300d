import { conditionOf, kubeletStart, type ClusterState, type Condition, type NodeRecord } from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { jsonEqual, parseTime, type KubeObject } from '#libs/kernel';
import { nodeAddress } from './node-addresses';
import { watchedHeartbeat } from './heartbeats';
import { leaseNamespace, leaseResource, leaseStep } from './lease';
import { hasKubelet, isRegistered, isSilent } from './node-of-kubelet';
import { isOwnMessage, messageChanges, nextStatusLook, notReadyMessage } from './node-ready';
import { bootId, changedPressure, hasSpoken, nodeLabels, nodeStatusOf } from './node-status';

/** `numberFor`: a number for the node's address, asked for only when it has none. */
export interface NodeContext {
  readonly now: number;
  readonly numberFor: (node: KubeObject) => number;
  /** When the kubelet that last said that it begins did begin, ms; undefined: none has, or none is known to have. */
  readonly toldStart?: number;
}

/** What a look at a node makes known to the next. */
export interface NodeLook extends Reconciliation {
  /** The kubelet that began then, ms, has said so. */
  tellsStart?: number;
}

/** What the kubelet of a node has to report about it: registration, resources that came later, its Lease. */
export function reconcileNode(cluster: ClusterState, name: string, context: NodeContext): NodeLook | undefined {
  const node = cluster.get('nodes', undefined, name);
  if (!node || node.metadata.deletionTimestamp || !hasKubelet(node) || isSilent(cluster, name)) return undefined;
  const { now } = context;
  const record = cluster.decisions.nodes.of(name);
  const isNew = !isRegistered(node);
  const restarted = (record.kubeletStartedAt ?? 0) > (context.toldStart ?? 0);
  const begins = restarted || (isNew && context.toldStart === undefined);
  const look = begins || isNew || !hasSpoken(node) ? now : statusLook(cluster, node, now);
  const posts = look !== undefined && look <= now;
  const steps = reportSteps(node, nodeAfter(cluster, node, context, posts));
  if (leaseIsMissing(cluster, name)) steps.push(leaseStep(node, now));
  const { steps: renewal = [], wakeAt: renewsAt } = watchedHeartbeat(cluster, name, now) ?? {};
  steps.push(...renewal);
  const records = [
    ...(begins ? beginning(node, record.reboots ?? 0) : []),
    ...(posts && !begins ? heardAgain(node) : []),
    ...(posts ? [...readinessTold(node, cluster, now), ...pressureTold(node, record)] : []),
  ];
  const wakes = [renewsAt, posts ? messageChanges(record, now).next : look].filter((at) => at !== undefined);
  if (steps.length === 0 && records.length === 0 && wakes.length === 0) return undefined;
  return {
    steps,
    ...(wakes.length > 0 ? { wakeAt: Math.min(...wakes) } : {}),
    ...(records.length > 0 ? { records } : {}),
    ...(begins ? { tellsStart: record.kubeletStartedAt ?? 0 } : {}),
  };
}

/**
 * When the kubelet will find that the node's readiness is otherwise than it has posted, ms: it looks every 10 s, and as often as it can until it has
 * been ready for the first time. Undefined: it is as posted.
 */
function statusLook(cluster: ClusterState, node: KubeObject, now: number): number | undefined {
  const { name, creationTimestamp } = node.metadata;
  const record = cluster.decisions.nodes.of(name);
  const start = kubeletStart(cluster, name, parseTime(creationTimestamp) ?? 0);
  const readiness = readinessLook(node, record, start, now);
  if (changedPressure(node, record).length === 0) return readiness;
  // What the eviction manager has found at the same moment is posted.
  const pressure = nextStatusLook(start, (record.pressure?.lookedAt ?? now) - 1);
  return Math.min(pressure, readiness ?? pressure);
}

function readinessLook(node: KubeObject, record: NodeRecord, start: number, now: number): number | undefined {
  const posted = conditionOf(node, 'Ready');
  const { last, next } = messageChanges(record, now);
  if ((notReadyMessage(record, now) ?? '') === postedMessage(posted)) return next === undefined ? undefined : nextStatusLook(start, next);
  const hasBeenReady = posted?.status === 'True' || (parseTime(posted?.lastTransitionTime as string | undefined) ?? 0) > start + 1_000;
  return hasBeenReady ? nextStatusLook(start, last) : now;
}

/** Whoever says of a node that runs well that it is not ready is left to say so. */
function postedMessage(posted: Condition | undefined): string | undefined {
  return posted?.status === 'True' || !isOwnMessage(posted?.message ?? '') ? '' : posted?.message;
}

function nodeAfter(cluster: ClusterState, node: KubeObject, { now, numberFor }: NodeContext, posts: boolean): KubeObject {
  const record = cluster.decisions.nodes.of(node.metadata.name);
  const address = (): string => nodeAddress(numberFor(node));
  const labels = nodeLabels(node);
  return { ...node, metadata: { ...node.metadata, labels }, status: nodeStatusOf(node, { now, address, record, posts }) };
}

function reportSteps(node: KubeObject, after: KubeObject): Step[] {
  if (jsonEqual(node, after)) return [];
  const { name, uid, resourceVersion } = node.metadata;
  return [
    { step: 'status', request: { verb: 'record', target: { resource: 'nodes', name }, uid, ifVersion: resourceVersion, facts: [], after } },
  ];
}

function leaseIsMissing(cluster: ClusterState, name: string): boolean {
  if (cluster.get(leaseResource, leaseNamespace, name)) return false;
  const namespace = cluster.get('namespaces', undefined, leaseNamespace);
  return namespace !== undefined && !namespace.metadata.deletionTimestamp;
}

/** What a kubelet says of a node that is well. */
const wellStates = [
  ['MemoryPressure', 'NodeHasSufficientMemory'],
  ['DiskPressure', 'NodeHasNoDiskPressure'],
  ['PIDPressure', 'NodeHasSufficientPID'],
] as const;
/** How often it says so until the API knows it, when it begins: before it has asked for its Node, and as it posts the first status. */
const saidAtFirst = 2;
/** The same, where the API held the node for unknown. */
const saidOfUnknown = 4;

/** What was held for unknown while nobody heard the kubelet. */
function heardAgain(node: KubeObject): Fact[] {
  const unknown = wellStates.filter(([type]) => conditionOf(node, type)?.status === 'Unknown');
  return unknown.map(([, state]) => told(node, state, `Node ${node.metadata.name} status is now: ${state}`));
}

/** The events by which a kubelet says that it is there. */
function beginning(node: KubeObject, reboots: number): Fact[] {
  const { name, uid } = node.metadata;
  const times = conditionOf(node, 'Ready')?.status === 'Unknown' ? saidOfUnknown : saidAtFirst;
  const known = (node.status?.nodeInfo as { bootID?: string } | undefined)?.bootID;
  const boot = bootId(uid, reboots);
  const hasRebooted = known && reboots > 0 && known !== boot;
  return [
    told(node, 'Starting', 'Starting kubelet.'),
    ...wellStates.map(([, state]) => told(node, state, `Node ${name} status is now: ${state}`, 'Normal', times)),
    ...(hasRebooted ? [told(node, 'Rebooted', `Node ${name} has been rebooted, boot id: ${boot}`, 'Warning')] : []),
  ];
}

/** That the node turned ready, or ceased to be; a node's first word is none of that. */
function readinessTold(node: KubeObject, cluster: ClusterState, now: number): Fact[] {
  const before = conditionOf(node, 'Ready')?.status;
  const isReady = notReadyMessage(cluster.decisions.nodes.of(node.metadata.name), now) === undefined;
  if (before === undefined || (before === 'True') === isReady) return [];
  const state = isReady ? 'NodeReady' : 'NodeNotReady';
  return [told(node, state, `Node ${node.metadata.name} status is now: ${state}`)];
}

const pressureStates: Readonly<Record<string, readonly [short: string, enough: string]>> = {
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
};

/** That the node is short of something, or not any more. */
function pressureTold(node: KubeObject, record: NodeRecord): Fact[] {
  return changedPressure(node, record).map(({ type, isShort }) => {
    const state = pressureStates[type]?.[isShort ? 0 : 1] ?? type;
    return told(node, state, `Node ${node.metadata.name} status is now: ${state}`);
  });
}

/** @param count how often it has happened in all; absent: once more */
function told({ metadata: { name, uid } }: KubeObject, reason: string, message: string, type = 'Normal', count?: number): Fact {
  const counted = count === undefined ? {} : { count };
  return fact('Reported', { resource: 'nodes', namespace: '', name, uid, type, reason, message, component: 'kubelet', ...counted });
}
