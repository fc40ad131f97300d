import { goQuote } from '../../status';
import type { RoleRef } from '../authorizer';

/** Several errors as one: each once, in brackets where they are several. */
export function aggregateText(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(', ')}]`;
}

/** What authorisation says of roles that are bound and are not there. */
export function missingRolesText(missing: readonly RoleRef[]): string {
  return aggregateText(missing.map(missingRoleText));
}

function missingRoleText({ kind = '', name = '' }: RoleRef): string {
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${goQuote(kind)}`;
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${goQuote(name)} not found`;
}
