import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../../kinds';
import { forbiddenRequest, goQuote, notFound, plainError, type Failure } from '../../status';
import { semanticEqual } from '../../strategy/equality';
import { isPrivileged, type User } from '../attributes';
import type { Access, RoleRef } from '../authorizer';
import { aggregateText } from './problems';
import { compacted, compactText, goQuotes } from './compact';
import { uncovered } from './covers';
import type { PolicyRule } from './policy-rule';

/** A write of a role or a binding. */
export interface GrantingWrite {
  kind: ResourceKind;
  /** The object as it will be. */
  object: KubeObject;
  /** As it was; absent: it is new. */
  old?: KubeObject;
  namespace: string;
  /** As the request names it: nothing where an object is created. */
  name: string;
}

const group = 'rbac.authorization.k8s.io';
const fullAuthority: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody gives others what he may not do himself, unless he is allowed to do just that: to escalate roles, to bind a role (upstream's storage
 * of roles and bindings). Undefined: nothing is wrong, or the kind is another one.
 */
export function refuseEscalation(write: GrantingWrite, user: User, access: Access): Failure | undefined {
  const { kind, object, old } = write;
  if (kind.group !== group || isPrivileged(user)) return undefined;
  const isRole = kind.resource === 'roles' || kind.resource === 'clusterroles';
  if (isRole && mayEscalate(write, user, access)) return undefined;
  // The garbage collector has to be able to let anything go.
  if (old && isForCollectorOnly(object, old)) return undefined;
  return isRole ? refuseRole(write, user, access) : refuseBinding(write, user, access);
}

function mayEscalate({ kind, namespace, name }: GrantingWrite, user: User, access: Access): boolean {
  const { resource } = kind;
  const asked = { user, verb: 'escalate', group, version: '*', resource, subresource: '', namespace, name };
  return access.authorize(asked).decision === 'allow';
}

function refuseRole(write: GrantingWrite, user: User, access: Access): Failure | undefined {
  const { kind, object, old } = write;
  const refuse = (text: string): Failure => forbiddenRequest(kind.groupResource, object.metadata.name ?? '', text);
  const missing = missingText((object.rules as PolicyRule[] | null | undefined) ?? [], write, user, access);
  if (missing !== undefined) return refuse(missing);
  if (!isAggregated(object) && !(old && isAggregated(old))) return undefined;
  const lacking = missingText(fullAuthority, write, user, access);
  return lacking === undefined ? undefined : refuse('must have cluster-admin privileges to use the aggregationRule');
}

/** An aggregated role may gather anything. */
function isAggregated({ aggregationRule }: KubeObject): boolean {
  const { clusterRoleSelectors } = (aggregationRule ?? {}) as { clusterRoleSelectors?: unknown[] | null };
  return (clusterRoleSelectors ?? []).length > 0;
}

function refuseBinding(write: GrantingWrite, user: User, access: Access): Failure | undefined {
  const { kind, object, namespace } = write;
  const roleRef = (object.roleRef ?? {}) as RoleRef;
  if (mayBind(roleRef, namespace, user, access)) return undefined;
  const rules = access.rulesOfRole(roleRef, namespace);
  if (!rules) return missingRole(kind, roleRef);
  const missing = missingText(rules, write, user, access);
  return missing === undefined ? undefined : forbiddenRequest(kind.groupResource, object.metadata.name ?? '', missing);
}

/** Upstream's store names the resource of the request, not that of the role. */
function missingRole({ groupResource }: ResourceKind, { kind = '', name = '' }: RoleRef): Failure {
  if (kind === 'Role' || kind === 'ClusterRole') return notFound(groupResource, name);
  return plainError(`unsupported role reference kind: ${goQuote(kind)}`);
}

function mayBind({ kind, apiGroup = '', name = '' }: RoleRef, namespace: string, user: User, access: Access): boolean {
  if (kind !== 'Role' && kind !== 'ClusterRole') return false;
  const resource = kind === 'Role' ? 'roles' : 'clusterroles';
  const asked = { user, verb: 'bind', group: apiGroup, version: '*', resource, subresource: '', namespace, name };
  return access.authorize(asked).decision === 'allow';
}

/** What of the rules somebody does not have himself, rule by rule; undefined: he has all. */
function missingText(rules: readonly PolicyRule[], { kind, namespace }: GrantingWrite, user: User, access: Access): string | undefined {
  const own = access.rulesFor(user, namespace);
  const missing = uncovered(own.rules, rules);
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compacted(missing).map(compactText))].sort();
  const text = `user ${goQuote(user.name)} (groups=${goQuotes(user.groups)}) is attempting to grant RBAC permissions not currently held:`;
  const unresolved = own.missing.map(({ name = '' }) => notFound(kind.groupResource, name).message);
  const errors = unresolved.length === 0 ? '' : `; resolution errors: [${aggregateText(unresolved)}]`;
  return `${text}\n${lines.join('\n')}${errors}`;
}

/** Whether nothing changes but what says when the object may go. */
function isForCollectorOnly(object: KubeObject, old: KubeObject): boolean {
  return semanticEqual(withoutCollectors(object), withoutCollectors(old));
}

function withoutCollectors({ kind: _, apiVersion: __, metadata, ...rest }: KubeObject): object {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, ...own } = metadata;
  return { metadata: own, ...rest };
}
