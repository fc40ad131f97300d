import type { ClusterState } from '#libs/cluster-state';
import { clusterAccess, RbacObjects, type Access, type Authorizer } from '#libs/kube-api';

/** What may be read without credentials: whoever starts the server polls these. */
const open = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** For as long as no role says so. */
const publicInfo: Authorizer = {
  authorize: (attributes) => {
    const isOpen = 'path' in attributes && attributes.user.groups.includes('system:unauthenticated') && open.test(attributes.path);
    return { decision: isOpen ? 'allow' : 'none', reason: '' };
  },
};

/** The one authoriser of the API server: who may do what, by what the cluster's fold says. */
export function accessTo(state: ClusterState): Access {
  return clusterAccess(new RbacObjects((resource) => state.table(resource)), publicInfo);
}
