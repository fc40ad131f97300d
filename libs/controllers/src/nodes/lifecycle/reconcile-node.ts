import { conditionOf, hasKubelet, isSilent, type ClusterState } from '#libs/cluster-state';
import type { Cause, Reconciliation, Step } from '#libs/control-loop';
import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { report } from '../../loop/report';
import { podsOnNode } from '../pods-on-node';
import { withTurnedNoExecute } from './no-execute-taints';
import { readiness, withUnknownConditions } from './node-conditions';
import { taintsOf, withNoScheduleTaints, withTaints } from './no-schedule-taints';
import { withMirroredLabels } from './node-labels';
import type { LifecycleIndex } from './lifecycle-index';
import type { NodeLifecycleSettings } from './settings';
import { lapsesAt } from './silence';

/** As what the controller speaks of nodes (upstream's component of the same controller). */
export const component = 'node-controller';

/** What is to be done about one node now. */
export function reconcileNode(
  cluster: ClusterState,
  index: LifecycleIndex,
  node: KubeObject,
  settings: NodeLifecycleSettings,
  now: number,
): Reconciliation | undefined {
  const lapse = readiness(node) === 'Unknown' ? undefined : lapsesAt(cluster, node, index, settings);
  if (lapse !== undefined && lapse <= now) return becomesUnknown(cluster, node, now);
  const pass = index.passOf.get(node.metadata.name) ?? 0;
  const registersUntil = registersItself(cluster, node) ? (index.newcomers.get(node.metadata.name) ?? 0) : 0;
  const isNew = now < registersUntil;
  const after = isNew ? node : withTaintsAndLabels(node, pass <= now, now);
  const turnsAt = pass > now && isTurned(node, now) ? pass : undefined;
  const wakes = [lapse, turnsAt, isNew ? registersUntil : undefined].filter((at) => at !== undefined);
  const wakeAt = wakes.length > 0 ? Math.min(...wakes) : undefined;
  if (after !== node) return { steps: [nodeStep('taints', node, after)], wakeAt };
  const unready = readiness(node) === 'Unknown' ? podsNotReady(cluster, node) : undefined;
  if (unready) return { ...unready, wakeAt };
  return wakeAt === undefined ? undefined : { steps: [], wakeAt };
}

/** A simulated kubelet has not spoken yet, and may be about to: the Node of a real one comes with its conditions. */
function registersItself(cluster: ClusterState, node: KubeObject): boolean {
  return readiness(node) === undefined && hasKubelet(node) && !isSilent(cluster, node.metadata.name);
}

/** Nothing was heard of the node for too long. */
function becomesUnknown(cluster: ClusterState, node: KubeObject, now: number): Reconciliation {
  const status = 'NodeNotReady';
  const told = report(component, 'nodes', node, { reason: status, message: `Node ${node.metadata.name} status is now: ${status}` });
  return {
    cause: causeOfSilence(cluster, node.metadata.name),
    records: readiness(node) === 'True' ? [told] : [],
    steps: [nodeStep('unknown', node, withUnknownConditions(node, now))],
  };
}

/** What the log says of why the node is not heard. */
function causeOfSilence(cluster: ClusterState, name: string): Cause | undefined {
  return cluster.decisions.nodes.of(name).silentBecause;
}

function isTurned(node: KubeObject, now: number): boolean {
  const taints = taintsOf(node);
  return withTurnedNoExecute(node, taints, now) !== taints;
}

/** @param inPass NoExecute taints turn at the passes only */
function withTaintsAndLabels(node: KubeObject, inPass: boolean, now: number): KubeObject {
  const taints = taintsOf(node);
  const scheduling = withNoScheduleTaints(node, now);
  const wanted = inPass ? withTurnedNoExecute(node, scheduling, now) : scheduling;
  return withMirroredLabels(wanted === taints ? node : withTaints(node, wanted));
}

export function nodeStep(step: string, node: KubeObject, after: KubeObject): Step {
  const { name, uid, resourceVersion } = node.metadata;
  return { step, request: { verb: 'record', target: { resource: 'nodes', name }, uid, ifVersion: resourceVersion, facts: [], after } };
}

/** No traffic goes to pods on a node that is not heard: they count as not ready (upstream `MarkPodsNotReady`). */
function podsNotReady(cluster: ClusterState, node: KubeObject): Reconciliation | undefined {
  const records: Fact[] = [];
  const steps: Step[] = [];
  for (const [key, pod] of podsOnNode(cluster, node.metadata.name)) {
    if (conditionOf(pod, 'Ready')?.status !== 'True') continue;
    const { namespace, name, uid } = pod.metadata;
    records.push(report(component, 'pods', pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' }));
    const facts = [fact('StatusUpdated', { conditions: [{ type: 'Ready', status: 'False' }] })];
    steps.push({ step: `not-ready/${key}`, request: { verb: 'record', target: { resource: 'pods', namespace, name }, uid, facts } });
  }
  if (steps.length === 0) return undefined;
  return { cause: causeOfSilence(cluster, node.metadata.name), records, steps };
}
