import type { KubeObject } from '#libs/kernel';
import { goQuote } from '../../status';
import { isOfResource, type Attributes, type User } from '../attributes';
import type { Access, Authorization, KnownRules, RoleRef } from '../authorizer';
import { serviceAccountUser } from '../service-account-user';
import { ruleAllows, type PolicyRule } from './policy-rule';
import { missingRolesText } from './problems';
import type { RbacObjects } from './rbac-objects';

interface Subject {
  kind?: string;
  name?: string;
  namespace?: string;
}

/** What a binding gives somebody. */
interface Grant {
  rules: readonly PolicyRule[];
  /** `ClusterRoleBinding "a" of ClusterRole "b" to User "c"`. */
  source: string;
}

interface Grants {
  grants: readonly Grant[];
  /** Roles that are bound to somebody and are not there. */
  missing: readonly RoleRef[];
}

/** Users whose grants are kept, each in one namespace. */
const keptMax = 1_000;

/** Role-based access control over the roles and bindings of the fold (upstream `rbac.RBACAuthorizer`). */
export class RbacAuthorizer implements Access {
  private readonly kept = new Map<string, Grants>();
  /** Of the objects that `kept` was made from. */
  private version = -1;

  constructor(private readonly objects: RbacObjects) {}

  authorize(attributes: Attributes): Authorization {
    const { grants, missing } = this.grantsOf(attributes.user, isOfResource(attributes) ? attributes.namespace : '');
    for (const { rules, source } of grants) {
      for (const rule of rules) if (ruleAllows(rule, attributes)) return { decision: 'allow', reason: `RBAC: allowed by ${source}` };
    }
    return { decision: 'none', reason: missing.length === 0 ? '' : `RBAC: ${missingRolesText(missing)}` };
  }

  rulesFor(user: User, namespace: string): KnownRules {
    const { grants, missing } = this.grantsOf(user, namespace);
    return { rules: grants.flatMap(({ rules }) => rules), missing };
  }

  rulesOfRole({ kind, name = '' }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    if (kind !== 'Role' && kind !== 'ClusterRole') return undefined;
    const role = kind === 'Role' ? this.objects.role(namespace, name) : this.objects.clusterRole(name);
    return role && ((role.rules as PolicyRule[] | null | undefined) ?? []);
  }

  /** What has been given to somebody, found once for as long as no role and no binding changes. */
  private grantsOf(user: User, namespace: string): Grants {
    const { version } = this.objects;
    if (version !== this.version) {
      this.version = version;
      this.kept.clear();
    }
    const key = JSON.stringify([namespace, user.name, user.groups]);
    let grants = this.kept.get(key);
    if (!grants) {
      if (this.kept.size >= keptMax) this.kept.clear();
      this.kept.set(key, (grants = this.findGrants(user, namespace)));
    }
    return grants;
  }

  private findGrants(user: User, namespace: string): Grants {
    const grants: Grant[] = [];
    const missing: RoleRef[] = [];
    const take = (binding: KubeObject, own: string): void => {
      const subject = subjectsOf(binding).find((one) => isSubject(user, one, own));
      if (!subject) return;
      const roleRef = binding.roleRef as RoleRef;
      const rules = this.rulesOfRole(roleRef, own);
      if (!rules) missing.push(roleRef);
      else grants.push({ rules, source: sourceOf(binding, subject, own) });
    };
    for (const binding of this.objects.clusterRoleBindings()) take(binding, '');
    if (namespace !== '') for (const binding of this.objects.roleBindings(namespace)) take(binding, namespace);
    return { grants, missing };
  }
}

function subjectsOf(binding: KubeObject): readonly Subject[] {
  return (binding.subjects as Subject[] | null | undefined) ?? [];
}

/** @param namespace of the binding; a service account that names none is of that one */
function isSubject(user: User, { kind, name = '', namespace: own }: Subject, namespace: string): boolean {
  if (kind === 'User') return user.name === name;
  if (kind === 'Group') return user.groups.includes(name);
  const home = own || namespace;
  return kind === 'ServiceAccount' && home !== '' && user.name === serviceAccountUser(home, name);
}

function sourceOf(binding: KubeObject, { kind = '', name = '', namespace: own }: Subject, namespace: string): string {
  const { kind: roleKind = '', name: role = '' } = binding.roleRef as RoleRef;
  const full = namespace === '' ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
  const subject = kind === 'ServiceAccount' ? `${name}/${own || namespace}` : name;
  const type = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  return `${type} ${goQuote(full)} of ${roleKind} ${goQuote(role)} to ${kind} ${goQuote(subject)}`;
}
