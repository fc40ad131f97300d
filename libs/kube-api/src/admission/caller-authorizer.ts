import type { Authorize } from '#libs/cel';
import { serviceAccountGroups, serviceAccountUser, type Access, type User } from '../authorization';

const authenticated = 'system:authenticated';

/** What expressions ask of `authorizer`: whether somebody may do something, he who asks unless an account is named. */
export function callerAuthorizer(user: User, access: Access): Authorize {
  return ({ verb, serviceAccount, path, ...asked }) => {
    const who = serviceAccount ? accountOf(serviceAccount) : user;
    const { group = '', resource = '', subresource = '', namespace = '', name = '' } = asked;
    const { decision, reason } = access.authorize(
      path === undefined ? { user: who, verb, group, version: '*', resource, subresource, namespace, name } : { user: who, verb, path },
    );
    return { allowed: decision === 'allow', reason };
  };
}

function accountOf({ namespace, name }: { namespace: string; name: string }): User {
  return { name: serviceAccountUser(namespace, name), groups: [...serviceAccountGroups(namespace), authenticated] };
}
