import type { GroupResource } from '#libs/kernel';
import type { ResourceKind } from '#libs/kube-api';

/** Either view of Events. */
export function isEvents(kind: ResourceKind): boolean {
  return kind.storage === 'events';
}

/** The resource that objects of a kind are written under: both views of Events are one. */
export function storedKind(kind: ResourceKind): { resource: GroupResource } {
  return { resource: kind.storage };
}
