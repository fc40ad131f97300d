import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { clusterAccess, NodeAuthorizer, RbacObjects, type Access } from '#libs/kube-api';

/** The one authoriser of the API server: who may do what, by what the cluster's fold says. */
export function accessTo(state: ClusterState): Access {
  const nodes = new NodeAuthorizer({
    get: (resource, namespace, name) => state.get(resource, namespace, name),
    list: (resource) => state.table(resource).list(),
    podsOn: (node) => podsOn(state, node),
  });
  return clusterAccess(new RbacObjects((resource) => state.table(resource)), nodes);
}

const nodeNameOf = ({ spec }: KubeObject): string => (spec?.nodeName as string | undefined) ?? '';

function* podsOn(state: ClusterState, node: string): Iterable<KubeObject> {
  const pods = state.table('pods');
  const keys = pods.keysWith('spec.nodeName', nodeNameOf, node);
  if (!keys) {
    for (const pod of pods.list()) if (nodeNameOf(pod) === node) yield pod;
    return;
  }
  for (const key of keys) yield pods.get(key) as KubeObject;
}
