import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject, OwnerReference } from '#libs/kernel';
import { kindsOf } from '#libs/kube-api';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Its deletion waits for dependents to go first. */
export function isDeletingDependents(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, foregroundFinalizer);
}

/** Its deletion waits for dependents to be let go. */
export function isOrphaningDependents(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, orphanFinalizer);
}

/** Its deletion is for the collector to end, whichever way its dependents go. */
export function isWaitingForCollector(object: KubeObject): boolean {
  return isDeletingDependents(object) || isOrphaningDependents(object);
}

/** The owner references of an object, by what has become of the owners. */
export interface ClassifiedOwners {
  solid: OwnerReference[];
  /** The owner does not exist, or another object has its name. */
  dangling: OwnerReference[];
  /** The owner waits for this dependent to go. */
  waiting: OwnerReference[];
  /** The owner's kind is not known: nothing can be said, so nothing is done. */
  unknown: OwnerReference[];
}

/** Subject of an owner, when its kind is known: where it is looked for. */
export function ownerPlace(
  cluster: ClusterState,
  dependent: KubeObject,
  reference: OwnerReference,
): { resource: string; key: string } | undefined {
  const kind = kindsOf(cluster).findKind(reference.apiVersion, reference.kind);
  if (!kind) return undefined;
  const namespace = kind.namespaced ? (dependent.metadata.namespace ?? '') : '';
  return { resource: kind.groupResource, key: `${namespace}/${reference.name}` };
}

/** Looks up the owners of an object (upstream `classifyReferences`). */
export function ownersOf(cluster: ClusterState, dependent: KubeObject): ClassifiedOwners {
  const owners: ClassifiedOwners = { solid: [], dangling: [], waiting: [], unknown: [] };
  for (const reference of dependent.metadata.ownerReferences ?? []) {
    const place = ownerPlace(cluster, dependent, reference);
    const owner = place && cluster.byKey(place.resource, place.key);
    if (!place) owners.unknown.push(reference);
    else if (!owner || owner.metadata.uid !== reference.uid) owners.dangling.push(reference);
    else if (isDeletingDependents(owner)) owners.waiting.push(reference);
    else owners.solid.push(reference);
  }
  return owners;
}

/** Nothing of the kind that the collector deals with: every owner is there, and none is waiting. The common case, so it is quick. */
export function hasSoundOwners(cluster: ClusterState, dependent: KubeObject): boolean {
  for (const reference of dependent.metadata.ownerReferences ?? []) {
    const place = ownerPlace(cluster, dependent, reference);
    if (!place) continue;
    const owner = cluster.byKey(place.resource, place.key);
    if (!owner || owner.metadata.uid !== reference.uid || isDeletingDependents(owner)) return false;
  }
  return true;
}
