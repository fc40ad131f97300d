import type { ClusterState } from '#libs/cluster-state';
import { clusterAccess, RbacObjects, type Access } from '#libs/kube-api';

/** The one authoriser of the API server: who may do what, by what the cluster's fold says. */
export function accessTo(state: ClusterState): Access {
  return clusterAccess(new RbacObjects((resource) => state.table(resource)));
}
