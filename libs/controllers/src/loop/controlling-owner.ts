import type { ClusterState, ObjectChange } from '#libs/cluster-state';
import { controllerOf, keyOf, type GroupResource, type KubeObject, type ObjectKey } from '#libs/kernel';

/** A kind of owners. */
export interface OwnerKind {
  resource: GroupResource;
  kind: string;
}

/** The owner of that kind which controls the object: the one of the name and the uid that its reference tells. */
export function controllingOwner(cluster: ClusterState, { resource, kind }: OwnerKind, object: KubeObject): KubeObject | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== kind) return undefined;
  const owner = cluster.get(resource, object.metadata.namespace, reference.name);
  return owner?.metadata.uid === reference.uid ? owner : undefined;
}

/** Whom a change of what they control concerns: its owner, and the one before the change where that was another. */
export function* ownersOfChange(cluster: ClusterState, kind: OwnerKind, { before, object }: ObjectChange): Iterable<ObjectKey> {
  const now = controllingOwner(cluster, kind, object);
  if (now) yield keyOf(now);
  if (!before || before.metadata.ownerReferences === object.metadata.ownerReferences) return;
  const then = controllingOwner(cluster, kind, before);
  if (then && then !== now) yield keyOf(then);
}
