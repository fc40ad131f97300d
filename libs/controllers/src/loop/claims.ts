import type { ClusterState } from '#libs/cluster-state';
import type { Step } from '#libs/control-loop';
import { controllerOf, type GroupResource, type JsonObject, type KubeObject, type ObjectKey, type OwnerReference } from '#libs/kernel';
import type { ClaimIndex } from './claim-index';
import { selectorOf } from './selector';

export interface Claims {
  /** Owned and matching: what the owner counts. */
  owned: KubeObject[];
  /** Adoptions and releases to make before anything else. */
  steps: Step[];
}

/** The reference by which a controller owns what it creates: its owner cannot go in the foreground before it. */
export function controllerReference(owner: KubeObject, apiVersion: string, kind: string): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The owner's dependents of one resource, as the index of owners has them. */
export function dependentsOf(cluster: ClusterState, owner: KubeObject, resource: GroupResource): KubeObject[] {
  const found: KubeObject[] = [];
  for (const dependent of cluster.indices.dependentsOf(owner.metadata.uid)) {
    if (dependent.resource !== resource) continue;
    const object = cluster.byKey(resource, dependent.key);
    if (object && controllerOf(object)?.uid === owner.metadata.uid) found.push(object);
  }
  return found;
}

/**
 * Upstream's ControllerRefManager: what matches and has no controller is adopted, what is owned and matches no more is released.
 * An owner that is being deleted does neither.
 * @param owner `ref`: the reference that adoption writes; `finalizer`: what owned objects have beside it
 * @param adoptable what of the objects without a controller may be adopted at all
 */
export function claim(
  cluster: ClusterState,
  index: ClaimIndex,
  owner: { key: ObjectKey; object: KubeObject; ref: OwnerReference; finalizer?: string },
  resource: GroupResource,
  adoptable: (object: KubeObject) => boolean,
): Claims {
  const selector = selectorOf(owner.object);
  const deleting = owner.object.metadata.deletionTimestamp !== undefined;
  const claims: Claims = { owned: [], steps: [] };
  for (const object of dependentsOf(cluster, owner.object, resource)) {
    if (selector.matches(object.metadata.labels)) claims.owned.push(object);
    else if (!deleting && adoptable(object)) claims.steps.push(release(resource, object, owner.object.metadata.uid, owner.finalizer));
  }
  if (deleting) return claims;
  for (const key of [...index.claimable(owner.key)].sort()) {
    const object = cluster.byKey(resource, key);
    if (object && !controllerOf(object) && !object.metadata.deletionTimestamp && adoptable(object)) {
      claims.steps.push(adopt(resource, object, owner.ref, owner.finalizer));
    }
  }
  return claims;
}

function adopt(resource: GroupResource, object: KubeObject, ref: OwnerReference, finalizer: string | undefined): Step {
  const { finalizers = [], ownerReferences = [] } = object.metadata;
  const all = finalizer === undefined || finalizers.includes(finalizer) ? undefined : [...finalizers, finalizer];
  return ownerPatch('adopt', resource, object, [...ownerReferences, ref], all);
}

function release(resource: GroupResource, object: KubeObject, ownerUid: string, finalizer: string | undefined): Step {
  const { finalizers = [], ownerReferences = [] } = object.metadata;
  const rest = ownerReferences.filter(({ uid }) => uid !== ownerUid);
  const left = finalizer !== undefined && finalizers.includes(finalizer) ? finalizers.filter((each) => each !== finalizer) : undefined;
  return ownerPatch('release', resource, object, rest, left);
}

/** A merge patch bound to the version that was looked at, since it replaces the lists as a whole. @param finalizers absent: those stay */
export function ownerPatch(
  step: string,
  resource: GroupResource,
  object: KubeObject,
  references: OwnerReference[],
  finalizers?: string[],
): Step {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const ownerReferences = references.length > 0 ? (references as unknown as JsonObject[]) : null;
  const marks = finalizers && { finalizers: finalizers.length > 0 ? finalizers : null };
  return {
    step: `${step}/${name}`,
    request: {
      verb: 'patch',
      target: { resource, namespace, name },
      patchType: 'merge',
      patch: { metadata: { uid, resourceVersion, ownerReferences, ...marks } },
    },
  };
}
