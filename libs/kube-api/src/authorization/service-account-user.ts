import { isDnsLabel, isDnsSubdomain } from '../validation/formats';

const prefix = 'system:serviceaccount:';
const allAccounts = 'system:serviceaccounts';

/** The user that a service account is. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${prefix}${namespace}:${name}`;
}

/** The groups of a service account; `system:authenticated` is given to whoever is known. */
export function serviceAccountGroups(namespace: string): string[] {
  return [allAccounts, `${allAccounts}:${namespace}`];
}

/** Whose user name this is; undefined for any that is no service account's. */
export function serviceAccountOf(user: string): { namespace: string; name: string } | undefined {
  if (!user.startsWith(prefix)) return undefined;
  const [namespace = '', name = '', ...more] = user.slice(prefix.length).split(':');
  if (more.length > 0 || isDnsLabel(namespace).length > 0 || isDnsSubdomain(name).length > 0) return undefined;
  return { namespace, name };
}
