import {
  isMakingRoom,
  isStaticPod,
  isTerminal,
  mirrorKey,
  nodeRecordTypes,
  type ClusterState,
  type ObjectChange,
  type StaticFile,
} from '#libs/cluster-state';
import { ofNoObject, type Reconciler, type Reconciliation } from '#libs/control-loop';
import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { admissionOf, preempted } from '../admission/make-room';
import type { Rejection } from '../admission/rejection';
import { takenPods } from '../admission/taken-pods';
import { operatedNode } from '../node-registration/node-of-kubelet';
import { isAccepted } from '../pod-lifecycle/pod-types';
import { errorsOfStaticPod, hashOf, mirrorOf } from './mirror-of';

/** From a mirror's deletion behind the kubelet's back to the next regular sync of its pod, which finds it missing, ms. */
const nextSyncMs = 61_500;

const staticTypes: ReadonlySet<string> = new Set(['StaticPodFileChanged', ...nodeRecordTypes]);

/**
 * Shows the pods that kubelets have from files by mirrors in the API. What becomes of such a pod is for its kubelet: it runs also while
 * its mirror is missing. Subjects: `NODE/FILE`.
 */
export const staticPods: Reconciler = {
  name: 'kubelet-static-pods',
  behaviour: '2',
  stream: 'kubelet-decisions',
  config: {},
  follows: ['pods', 'nodes', ofNoObject],

  *follow(_index, { change, events }, cluster): Iterable<string> {
    if (cluster.decisions.staticPods.byNode.size === 0) return;
    if (!change) {
      for (const { type, data } of events) if (staticTypes.has(type)) yield* filesOf(cluster, data.node as string);
    } else if (change.resource === 'nodes') yield* filesOf(cluster, change.name);
    else if (change.resource === 'pods' && (isStaticPod(change.object) || isOver(change) || isTaken(change)))
      yield* filesOf(cluster, change.object.spec?.nodeName as string);
  },

  *allSubjects(_index, cluster) {
    for (const node of cluster.decisions.staticPods.byNode.keys()) yield* filesOf(cluster, node);
  },

  reconcile(cluster, _index, subject, { now }) {
    const slash = subject.indexOf('/');
    const [nodeName, file] = [subject.slice(0, slash), subject.slice(slash + 1)];
    const node = operatedNode(cluster, nodeName);
    const held = cluster.decisions.staticPods.of(nodeName)?.files.get(file);
    return node && held && !held.rejected ? show(cluster, node, file, held, now) : undefined;
  },
};

/** It may have made room. */
function isOver({ type, object }: ObjectChange): boolean {
  return type === 'DELETED' || isTerminal(object);
}

/** Its turn to be looked at is over. */
function isTaken({ before, object }: ObjectChange): boolean {
  return isAccepted(object) && (!before || !isAccepted(before));
}

function* filesOf(cluster: ClusterState, node: string): Iterable<string> {
  for (const file of cluster.decisions.staticPods.of(node)?.files.keys() ?? []) yield `${node}/${file}`;
}

function show(cluster: ClusterState, node: KubeObject, file: string, held: StaticFile, now: number): Reconciliation | undefined {
  const { name: nodeName } = node.metadata;
  const key = mirrorKey(held.manifest, nodeName);
  // Of an earlier manifest: the kubelet takes it away when that pod is over.
  if (cluster.byKey('pods', key)) return undefined;
  const lost = cluster.decisions.staticPods.of(nodeName)?.lost.get(key);
  const isRunning = lost?.hash === hashOf(held, file, nodeName);
  if (isRunning && lost.forced && now < lost.at + nextSyncMs) return { steps: [], wakeAt: lost.at + nextSyncMs };
  const mirror = mirrorOf(held, file, node);
  if (!isRunning) {
    if (!isPod(mirror, held)) return undefined;
    if (isMakingRoom(cluster, nodeName) || hasUntaken(cluster, nodeName)) return undefined;
    const others = [...takenPods(cluster, mirror, node, []), ...comingBefore(cluster, node, file)];
    const { rejection, victim } = admissionOf(mirror, node, others);
    if (victim) return { steps: [], records: preempted(victim, mirror, nodeName, now) };
    if (rejection) return rejected(mirror, node, file, rejection);
  }
  const { namespace } = mirror.metadata;
  return { steps: [{ step: 'mirror', request: { verb: 'create', resource: 'pods', namespace, object: mirror } }] };
}

/** A pod of the API is looked at first: it is not known yet whether it is taken. */
function hasUntaken(cluster: ClusterState, node: string): boolean {
  for (const pod of cluster.indices.podsOnNode(node).values()) if (!isAccepted(pod) && !isTerminal(pod)) return true;
  return false;
}

/** Pods of files that come before a file, and are about to be shown: they are taken first. */
function comingBefore(cluster: ClusterState, node: KubeObject, file: string): KubeObject[] {
  const coming: KubeObject[] = [];
  for (const [other, held] of cluster.decisions.staticPods.of(node.metadata.name)?.files ?? []) {
    if (other === file) break;
    if (held.rejected || cluster.byKey('pods', mirrorKey(held.manifest, node.metadata.name))) continue;
    const mirror = mirrorOf(held, other, node);
    if (isPod(mirror, held)) coming.push(mirror);
  }
  return coming;
}

function isPod(mirror: KubeObject, { manifest }: StaticFile): boolean {
  return manifest.kind === 'Pod' && errorsOfStaticPod(mirror).length === 0;
}

function rejected(mirror: KubeObject, node: KubeObject, file: string, { reason, message }: Rejection): Reconciliation {
  const { namespace = '', name } = mirror.metadata;
  const told = { resource: 'pods', namespace, name, uid: '', type: 'Warning', reason, message, component: 'kubelet' };
  return { steps: [], records: [fact('StaticPodRejected', { node: node.metadata.name, file, reason, message }), fact('Reported', told)] };
}
