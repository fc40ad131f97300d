import type { GroupResource, KubeObject } from '#libs/kernel';
import { forbiddenRequest, namespaceTerminating, notFound } from '../status';
import type { Failure } from '../status';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

/** The name that refusals show: before names are generated, that is what they are generated from. */
export function requestedName({ metadata }: KubeObject): string {
  return metadata.name || metadata.generateName || 'Unknown';
}

/**
 * A namespaced object may only be created where its namespace exists and is not going away; nothing may be written where it
 * does not exist.
 */
export function admitToNamespace(
  operation: 'create' | 'update',
  resource: GroupResource,
  name: string,
  namespace: string,
  find: (namespace: string) => KubeObject | undefined,
): Failure | undefined {
  const found = find(namespace);
  if (!found) return notFound('namespaces', namespace);
  if (operation === 'update' || found.status?.phase !== 'Terminating') return undefined;
  return namespaceTerminating(resource, name, namespace);
}

/** 403 for `default`, `kube-system` and `kube-public`, as upstream; undefined: the namespace may be deleted. */
export function admitNamespaceDeletion(name: string): Failure | undefined {
  return immortal.has(name) ? forbiddenRequest('namespaces', name, 'this namespace may not be deleted') : undefined;
}
