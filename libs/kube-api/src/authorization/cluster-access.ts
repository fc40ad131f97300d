import { union, privileged, type Access, type Authorizer } from './authorizer';
import { RbacAuthorizer } from './rbac/rbac-authorizer';
import type { RbacObjects } from './rbac/rbac-objects';

/**
 * As a server started with `--authorization-mode=Node,RBAC` decides: who is privileged, then the authorisers of the modes ahead, then the
 * roles and bindings of the cluster.
 */
export function clusterAccess(objects: RbacObjects, ...ahead: readonly Authorizer[]): Access {
  const rbac = new RbacAuthorizer(objects);
  const { authorize } = union(privileged, ...ahead, rbac);
  return {
    authorize,
    rulesFor: (user, namespace) => rbac.rulesFor(user, namespace),
    rulesOfRole: (roleRef, namespace) => rbac.rulesOfRole(roleRef, namespace),
  };
}
