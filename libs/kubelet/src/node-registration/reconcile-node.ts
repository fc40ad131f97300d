import type { ClusterState } from '#libs/cluster-state';
import type { Reconciliation, Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { nodeAddress } from './node-addresses';
import { watchedHeartbeat } from './heartbeats';
import { leaseNamespace, leaseResource, leaseStep } from './lease';
import { hasKubelet, isRegistered, isSilent } from './node-of-kubelet';
import { nodeLabels, nodeStatusOf } from './node-status';

/** `numberFor`: a number for the node's address, asked for only when it has none. */
export interface NodeContext {
  readonly now: number;
  readonly numberFor: (node: KubeObject) => number;
}

/** What the kubelet of a node has to report about it: registration, resources that came later, its Lease. */
export function reconcileNode(cluster: ClusterState, name: string, context: NodeContext): Reconciliation | undefined {
  const node = cluster.get('nodes', undefined, name);
  if (!node || node.metadata.deletionTimestamp || !hasKubelet(node) || isSilent(cluster, name)) return undefined;
  const address = (): string => nodeAddress(context.numberFor(node));
  const steps = reportSteps(node, address, context.now);
  if (leaseIsMissing(cluster, name)) steps.push(leaseStep(node, context.now));
  const { steps: renewal = [], wakeAt } = watchedHeartbeat(cluster, name, context.now) ?? {};
  steps.push(...renewal);
  if (steps.length === 0 && wakeAt === undefined) return undefined;
  const records = isRegistered(node) ? [] : registrationEvents(node);
  return { steps, ...(wakeAt === undefined ? {} : { wakeAt }), ...(records.length > 0 ? { records } : {}) };
}

function reportSteps(node: KubeObject, address: () => string, now: number): Step[] {
  const labels = nodeLabels(node);
  const after = { ...node, metadata: { ...node.metadata, labels }, status: nodeStatusOf(node, address, now) };
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

/** The events by which a kubelet says that it is there. */
function registrationEvents(node: KubeObject): Fact[] {
  const { name, uid } = node.metadata;
  const report = (reason: string, message: string): Fact =>
    fact('Reported', { resource: 'nodes', namespace: '', name, uid, type: 'Normal', reason, message, component: 'kubelet' });
  const states = ['NodeHasSufficientMemory', 'NodeHasNoDiskPressure', 'NodeHasSufficientPID'];
  return [report('Starting', 'Starting kubelet.'), ...states.map((state) => report(state, `Node ${name} status is now: ${state}`))];
}
