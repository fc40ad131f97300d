import type { ClusterState, ObjectChange } from '#libs/cluster-state';
import type { Reconciler, Reconciliation, Step } from '#libs/control-loop';
import type { GroupResource, KubeObject, OwnerReference } from '#libs/kernel';
import { kindsOf, type DeleteOptions } from '#libs/kube-api';
import { ownerPatch } from '../loop/claims';
import {
  foregroundFinalizer,
  hasFinalizer,
  hasSoundOwners,
  isDeletingDependents,
  isOrphaningDependents,
  isWaitingForCollector,
  orphanFinalizer,
  ownerPlace,
  ownersOf,
} from './references';

/** References removed in one look; what is left is for the next. */
const orphanedMax = 500;

/**
 * Deletes what has lost its owners, and carries out foreground and orphaning deletions (upstream garbage collector). Objects are found
 * by the uids of owners; nothing is searched for. Subjects: `RESOURCE NAMESPACE/NAME`.
 */
export const garbageCollector: Reconciler = {
  name: 'garbage-collector-controller',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  *allSubjects(_index, cluster): Iterable<string> {
    for (const table of cluster.resources()) {
      for (const [key, object] of table.objects) {
        if (isWaitingForCollector(object) || !hasSoundOwners(cluster, object)) yield `${table.resource} ${key}`;
      }
    }
  },

  *follow(_index, { change }, cluster): Iterable<string> {
    if (!change) return;
    const { type, resource, key, object, before } = change;
    if (type === 'DELETED') {
      yield* dependentSubjects(cluster, object);
      yield* waitingOwners(cluster, object);
      return;
    }
    if (before?.metadata === object.metadata) return;
    if (isWaitingForCollector(object)) {
      yield `${resource} ${key}`;
      if (before && !isWaitingForCollector(before)) yield* dependentSubjects(cluster, object);
    }
    if (before?.metadata.ownerReferences === object.metadata.ownerReferences) return;
    if (!hasSoundOwners(cluster, object)) yield `${resource} ${key}`;
    if (before) yield* waitingOwners(cluster, before);
  },

  reconcile(cluster, _index, subject) {
    const space = subject.indexOf(' ');
    const resource = subject.slice(0, space);
    const object = cluster.byKey(resource, subject.slice(space + 1));
    if (!object || !kindsOf(cluster).findGroupResource(resource)) return undefined;
    if (isOrphaningDependents(object)) return orphanDependents(cluster, resource, object);
    if (isDeletingDependents(object)) return processDeletingDependents(cluster, resource, object);
    return object.metadata.deletionTimestamp ? undefined : attemptToDelete(cluster, resource, object);
  },
};

function* dependentSubjects(cluster: ClusterState, owner: KubeObject): Iterable<string> {
  for (const { resource, key } of cluster.indices.dependentsOf(owner.metadata.uid)) yield `${resource} ${key}`;
}

/** Owners whose deletion waits for what becomes of the dependent. */
function* waitingOwners(cluster: ClusterState, dependent: ObjectChange['object']): Iterable<string> {
  for (const reference of dependent.metadata.ownerReferences ?? []) {
    const place = ownerPlace(cluster, dependent, reference);
    const owner = place && cluster.byKey(place.resource, place.key);
    if (owner?.metadata.uid === reference.uid && isWaitingForCollector(owner)) yield `${place?.resource} ${place?.key}`;
  }
}

interface Dependent {
  resource: GroupResource;
  object: KubeObject;
}

function dependentsOf(cluster: ClusterState, owner: KubeObject): Dependent[] {
  const found: Dependent[] = [];
  for (const { resource, key } of cluster.indices.dependentsOf(owner.metadata.uid)) {
    const object = cluster.byKey(resource, key);
    if (object) found.push({ resource, object });
  }
  return found;
}

function referenceTo(dependent: KubeObject, owner: KubeObject): OwnerReference | undefined {
  return dependent.metadata.ownerReferences?.find(({ uid }) => uid === owner.metadata.uid);
}

/** Orphaning: every dependent loses its reference, then the owner its finalizer. */
function orphanDependents(cluster: ClusterState, resource: GroupResource, owner: KubeObject): Reconciliation {
  const dependents = dependentsOf(cluster, owner);
  if (dependents.length === 0) return { steps: [removeFinalizer(resource, owner, orphanFinalizer)] };
  const steps = dependents.slice(0, orphanedMax).map(({ resource: kind, object }) => {
    const rest = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
    return ownerPatch(`orphan/${kind}`, kind, object, rest);
  });
  return { steps };
}

/** Foreground: the owner goes when no dependent that blocks its deletion is left. */
function processDeletingDependents(cluster: ClusterState, resource: GroupResource, owner: KubeObject): Reconciliation | undefined {
  const blocked = dependentsOf(cluster, owner).some(({ object }) => referenceTo(object, owner)?.blockOwnerDeletion === true);
  return blocked ? undefined : { steps: [removeFinalizer(resource, owner, foregroundFinalizer)] };
}

/** Upstream `attemptToDeleteItem`. */
function attemptToDelete(cluster: ClusterState, resource: GroupResource, object: KubeObject): Reconciliation | undefined {
  if (!object.metadata.ownerReferences?.length) return undefined;
  const { solid, dangling, waiting, unknown } = ownersOf(cluster, object);
  if (unknown.length > 0 || dangling.length + waiting.length === 0) return undefined;
  if (solid.length > 0) return { steps: [ownerPatch('drop', resource, object, solid)] };
  if (waiting.length > 0) {
    const dependents = dependentsOf(cluster, object);
    if (dependents.length > 0) return deleteForeground(resource, object, dependents);
  }
  const policy = hasFinalizer(object, orphanFinalizer) ? 'Orphan' : hasFinalizer(object, foregroundFinalizer) ? 'Foreground' : 'Background';
  return { steps: [deletion(resource, object, policy)] };
}

/** The owner waits, and the object has dependents of its own: it goes in the foreground too. A circle is opened by blocking no more. */
function deleteForeground(resource: GroupResource, object: KubeObject, dependents: readonly Dependent[]): Reconciliation {
  const circular = dependents.some((dependent) => isDeletingDependents(dependent.object));
  const blocking = object.metadata.ownerReferences?.some(({ blockOwnerDeletion }) => blockOwnerDeletion) ?? false;
  const foreground = deletion(resource, object, 'Foreground');
  if (!circular || !blocking) return { steps: [foreground] };
  const references = (object.metadata.ownerReferences ?? []).map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  return {
    steps: [ownerPatch('unblock', resource, object, references), deletion(resource, object, 'Foreground', false)],
    sequential: true,
  };
}

/** @param bound to the version that was looked at, so that an object adopted meanwhile stays */
function deletion(resource: GroupResource, object: KubeObject, propagationPolicy: DeleteOptions['propagationPolicy'], bound = true): Step {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const preconditions = bound ? { uid, resourceVersion } : { uid };
  return {
    step: 'delete',
    request: { verb: 'delete', target: { resource, namespace, name }, options: { propagationPolicy, preconditions } },
  };
}

function removeFinalizer(resource: GroupResource, object: KubeObject, finalizer: string): Step {
  const { namespace, name, uid, resourceVersion, finalizers = [] } = object.metadata;
  const rest = finalizers.filter((other) => other !== finalizer);
  const patch = { metadata: { uid, resourceVersion, finalizers: rest.length > 0 ? rest : null } };
  return { step: `release/${finalizer}`, request: { verb: 'patch', target: { resource, namespace, name }, patchType: 'merge', patch } };
}
