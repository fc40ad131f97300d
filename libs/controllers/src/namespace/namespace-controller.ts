import { isTerminal, type ClusterState } from '#libs/cluster-state';
import type { Reconciler, Reconciliation, Step } from '#libs/control-loop';
import { jsonEqual, parseTime, type GroupResource, type KubeObject } from '#libs/kernel';
import { kindsOf } from '#libs/kube-api';
import { statusWrite } from '../loop/report';
import { deletionConditions, type Remains } from './namespace-conditions';

const name = 'namespace-controller';
const namespaces = 'namespaces';
const finalizer = 'kubernetes';

/** From the request to the first deletion: whoever still creates things in the namespace learns of it meanwhile (upstream). */
const graceMs = 5_000;
/** Upstream's estimate for content that is held by finalizers, seconds. */
const finalizerEstimateSeconds = 15;
/** Until the next look after a change of the namespace, and at content that should have gone, ms. */
const soonMs = 5_000;
/** Deletions in one look; what is left is for the next. */
const deletionsMax = 500;

/**
 * Empties namespaces that are being deleted: pods first, then all the rest, then the namespace's own finalizer (upstream namespace
 * controller). It goes on by itself as its own deletions are folded; for what takes time it looks again after half the time that
 * it should take. Subjects: names of namespaces.
 */
export const namespaceController: Reconciler = {
  name,
  behaviour: '2',
  stream: 'controller-decisions',
  config: {},

  *allSubjects(_index, cluster): Iterable<string> {
    for (const namespace of cluster.table(namespaces).objects.values()) if (isTerminating(namespace)) yield namespace.metadata.name;
  },

  *follow(_index, { change, events }, cluster): Iterable<string> {
    if (!change || change.type === 'ADDED') return;
    if (change.resource === namespaces) {
      // What it writes itself has its own time to look again.
      const own = events[0]?.metadata.actor === name;
      if (!own && change.type === 'MODIFIED' && isTerminating(change.object)) yield change.object.metadata.name;
      return;
    }
    if (events[0]?.metadata.actor !== name || !change.namespace) return;
    if (isTerminating(cluster.get(namespaces, undefined, change.namespace))) yield change.namespace;
  },

  reconcile(cluster, _index, subject, { now }) {
    const namespace = cluster.get(namespaces, undefined, subject);
    if (!namespace || !isTerminating(namespace)) return undefined;
    const begin = (parseTime(namespace.metadata.deletionTimestamp) ?? 0) + graceMs;
    return now < begin ? { steps: [], wakeAt: begin } : empty(cluster, namespace, now);
  },
};

/** Being deleted, and waiting for this controller. */
function isTerminating(namespace: KubeObject | undefined): boolean {
  const finalizers = namespace?.spec?.finalizers as string[] | undefined;
  return namespace?.metadata.deletionTimestamp !== undefined && (finalizers?.includes(finalizer) ?? false);
}

function empty(cluster: ClusterState, namespace: KubeObject, now: number): Reconciliation {
  const pods = contentOf(cluster, 'pods', namespace.metadata.name);
  const podDeletions = deletions('pods', pods);
  if (podDeletions.length > 0) return { steps: podDeletions };
  if (pods.length > 0) return waitFor(namespace, undefined, podEstimate(namespace, pods, now), now);
  const remains = { resources: new Map<string, number>(), finalizers: new Map<string, number>() };
  const steps: Step[] = [];
  for (const { resource } of cluster.resources()) {
    // What no kind is known of is not served, and nobody can delete it.
    if (!kindsOf(cluster).findGroupResource(resource)) continue;
    const content = contentOf(cluster, resource, namespace.metadata.name);
    if (content.length === 0) continue;
    steps.push(...deletions(resource, content));
    remains.resources.set(resource.includes('.') ? resource : `${resource}.`, content.length);
    for (const object of content) {
      for (const held of object.metadata.finalizers ?? []) remains.finalizers.set(held, (remains.finalizers.get(held) ?? 0) + 1);
    }
  }
  if (steps.length > 0) return { steps: steps.slice(0, deletionsMax) };
  if (remains.resources.size > 0) return waitFor(namespace, remains, remains.finalizers.size > 0 ? finalizerEstimateSeconds : 0, now);
  return { steps: [...conditionSteps(namespace, undefined, now), finalize(namespace)], sequential: true };
}

/** Objects of a namespace, in order of name. */
function contentOf(cluster: ClusterState, resource: GroupResource, namespace: string): KubeObject[] {
  const prefix = `${namespace}/`;
  const keys: string[] = [];
  for (const key of cluster.table(resource).objects.keys()) if (key.startsWith(prefix)) keys.push(key);
  return keys.sort().map((key) => cluster.byKey(resource, key) as KubeObject);
}

function deletions(resource: GroupResource, objects: readonly KubeObject[]): Step[] {
  return objects
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .slice(0, deletionsMax)
    .map(({ metadata: { namespace, name: object, uid } }): Step => {
      const target = { resource, namespace, name: object };
      const options = { propagationPolicy: 'Background' as const, preconditions: { uid } };
      return { step: `delete/${resource}/${object}`, request: { verb: 'delete', target, options } };
    });
}

/** The longest grace of its pods, seconds, unless that is over already. */
function podEstimate(namespace: KubeObject, pods: readonly KubeObject[], now: number): number {
  let longest = 0;
  for (const pod of pods) {
    if (isTerminal(pod)) continue;
    longest = Math.max(longest, (pod.spec?.terminationGracePeriodSeconds as number | undefined) ?? 0);
  }
  const since = now - (parseTime(namespace.metadata.deletionTimestamp) ?? now);
  return since >= longest * 1000 ? 0 : longest;
}

function waitFor(namespace: KubeObject, remains: Remains | undefined, estimateSeconds: number, now: number): Reconciliation {
  const steps = conditionSteps(namespace, remains, now);
  const wait = estimateSeconds > 0 && steps.length === 0 ? (Math.floor(estimateSeconds / 2) + 1) * 1000 : soonMs;
  return { steps, wakeAt: now + wait };
}

function conditionSteps(namespace: KubeObject, remains: Remains | undefined, now: number): Step[] {
  const conditions = deletionConditions(namespace, remains, now);
  if (jsonEqual(conditions, namespace.status?.conditions)) return [];
  return [{ step: 'conditions', request: statusWrite(namespaces, namespace, { status: { ...namespace.status, conditions } }) }];
}

function finalize(namespace: KubeObject): Step {
  const finalizers = (namespace.spec.finalizers as string[]).filter((other) => other !== finalizer);
  // Not bound to a version: the conditions are written just before.
  const { resourceVersion: _, ...metadata } = namespace.metadata;
  const object = { ...namespace, metadata, spec: { ...namespace.spec, finalizers } };
  const target = { resource: namespaces, name: namespace.metadata.name };
  return { step: 'finalize', request: { verb: 'update', target, subresource: 'finalize', object } };
}
