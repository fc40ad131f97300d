import { isTerminal, type ClusterState } from '#libs/cluster-state';
import type { Reconciler, Reconciliation, Step } from '#libs/control-loop';
import { fact } from '#libs/events';
import { parseTime, type KubeObject } from '#libs/kernel';

/** How often upstream looks, ms. */
const periodMs = 20_000;
/** How long a node must be away before its pods are collected, ms. */
const quarantineMs = 40_000;
/** Pods ended or deleted in one look; what is left is for the next. */
const stepsMax = 500;

/** Nodes that pods are bound to and that are not there: since when, ms. */
type AbsentNodes = Map<string, number>;

/**
 * Collects pods whose node is gone, and unscheduled pods whose deletion nobody finishes (upstream pod garbage collector; what it
 * finds by looking around every 20 s is found here by name). Subjects: `pod NAMESPACE/NAME`, `node NAME`.
 */
export const podGarbageCollector: Reconciler<AbsentNodes> = {
  name: 'pod-garbage-collector',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  index(cluster, now) {
    const absent: AbsentNodes = new Map();
    for (const pod of cluster.table('pods').objects.values()) noteNode(absent, cluster, pod, now);
    return absent;
  },

  *allSubjects(absent, cluster): Iterable<string> {
    for (const node of absent.keys()) yield `node ${node}`;
    for (const [key, pod] of cluster.table('pods').objects) if (isUnscheduledAndGoing(pod)) yield `pod ${key}`;
  },

  follows: ['nodes', 'pods'],
  *follow(absent, { change, time }, cluster): Iterable<string> {
    if (change?.resource === 'nodes') {
      const node = change.object.metadata.name;
      if (change.type !== 'DELETED') absent.delete(node);
      else if (cluster.indices.podsOnNode(node).size > 0) {
        absent.set(node, time);
        yield `node ${node}`;
      }
    } else if (change?.resource === 'pods' && change.type !== 'DELETED') {
      if (isUnscheduledAndGoing(change.object)) yield `pod ${change.key}`;
      const bound = change.object.spec?.nodeName as string | undefined;
      if (!bound) return;
      if (bound !== change.before?.spec?.nodeName) noteNode(absent, cluster, change.object, time);
      if (absent.has(bound)) yield `node ${bound}`;
    }
  },

  reconcile(cluster, absent, subject, { now }) {
    const space = subject.indexOf(' ');
    const key = subject.slice(space + 1);
    if (subject.slice(0, space) === 'node') return collectFrom(cluster, absent, key, now);
    const pod = cluster.byKey('pods', key);
    return pod && isUnscheduledAndGoing(pod) ? collectGoing(pod, now) : undefined;
  },
};

function noteNode(absent: AbsentNodes, cluster: ClusterState, pod: KubeObject, time: number): void {
  const node = pod.spec?.nodeName as string | undefined;
  if (node && !absent.has(node) && !cluster.get('nodes', undefined, node)) absent.set(node, time);
}

/** Never bound, deletion asked for, and still there: a finalizer holds it, and no kubelet will ever say that it ended. */
function isUnscheduledAndGoing(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName && !isTerminal(pod);
}

function collectGoing(pod: KubeObject, now: number): Reconciliation {
  const due = (parseTime(pod.metadata.deletionTimestamp) ?? now) + periodMs;
  return now < due ? { steps: [], wakeAt: due } : { steps: [endStep(pod, false)] };
}

function collectFrom(cluster: ClusterState, absent: AbsentNodes, node: string, now: number): Reconciliation | undefined {
  const since = absent.get(node);
  if (since === undefined || cluster.get('nodes', undefined, node)) return undefined;
  const due = since + quarantineMs;
  if (now < due) return { steps: [], wakeAt: due };
  const pods = [...cluster.indices.podsOnNode(node)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
  const running = pods.filter((pod) => !isTerminal(pod));
  if (running.length > 0) return { steps: running.slice(0, stepsMax).map((pod) => endStep(pod, true)) };
  return { steps: pods.slice(0, stepsMax).map(forcedDeletion) };
}

/** The pod ends as Failed; one whose node vanished is told so. */
function endStep(pod: KubeObject, orphaned: boolean): Step {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  const failed = fact('StatusUpdated', { patch: [{ op: 'add', path: '/status/phase', value: 'Failed' }] });
  const told = orphaned ? [fact('PodDisruptionTargeted', { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' })] : [];
  const target = { resource: 'pods', namespace, name };
  return {
    step: `end/${namespace}/${name}`,
    request: { verb: 'record', target, uid, ifVersion: resourceVersion, facts: [...told, failed] },
  };
}

function forcedDeletion(pod: KubeObject): Step {
  const { namespace, name, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  return { step: `delete/${namespace}/${name}`, request: { verb: 'delete', target: { resource: 'pods', namespace, name }, options } };
}
