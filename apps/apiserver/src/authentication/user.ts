import type { JsonObject } from '#libs/kernel';
import { serviceAccountGroups, serviceAccountOf, type User } from '#libs/kube-api';

export type { User } from '#libs/kube-api';

export const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
export const administrator: User = { name: 'admin', uid: 'admin-uid', groups: ['system:masters', 'system:authenticated'] };

/** Group of everybody who has said who he is. */
export const authenticatedGroup = 'system:authenticated';
/** Extra that tells the credential by which somebody was known, without telling the credential. */
export const credentialIdExtra = 'authentication.kubernetes.io/credential-id';

/** `UserInfo` of the API; extras come sorted, as Go writes maps. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  const keys = extra ? Object.keys(extra).sort() : [];
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups: [...groups],
    ...(keys.length > 0 ? { extra: Object.fromEntries(keys.map((key) => [key, [...(extra?.[key] ?? [])]])) } : {}),
  };
}

/** Groups of a user that the log has to tell: of the administrator, of service accounts and of strangers they follow from the name. */
export function toldGroups(user: User): string[] | undefined {
  if (user === administrator || user === anonymous) return undefined;
  const account = serviceAccountOf(user.name);
  const known = [authenticatedGroup, ...(account ? serviceAccountGroups(account.namespace) : [])];
  const told = user.groups.filter((group) => !known.includes(group));
  return told.length > 0 ? told : undefined;
}
