import type { GroupResource, KubeObject } from '#libs/kernel';
import type { RoleRef } from '../authorizer';
import type { PolicyRule } from '../rbac/policy-rule';
import policy from './policy.json';

const rbac = 'rbac.authorization.k8s.io';
const bootstrapping = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
/** Whether a role or a binding is kept as the server has it: `false` where somebody does not want that. */
export const autoupdateAnnotation = 'rbac.authorization.kubernetes.io/autoupdate';
const aggregation = `${rbac}/aggregate-to-`;

export interface AggregationRule {
  clusterRoleSelectors?: object[] | null;
}

export type Role = KubeObject & { rules?: PolicyRule[] | null; aggregationRule?: AggregationRule };

export interface Subject {
  kind: string;
  apiGroup?: string;
  name: string;
  namespace?: string;
}

export type Binding = KubeObject & { subjects?: Subject[]; roleRef: RoleRef };

/** A role or a binding that every cluster has. */
export interface PolicyObject {
  resource: GroupResource;
  object: Role | Binding;
}

interface RoleEntry {
  /** The role that gathers this one's rules. */
  aggregatedTo?: string;
  /** It has the rules of those that are aggregated to this name. */
  gathers?: string;
  rules?: string[];
}

interface BindingEntry {
  role: string;
  subjects: string[];
}

let objects: readonly PolicyObject[] | undefined;

/** The roles and bindings that the API server of the release makes for itself. policy.json: see scripts/update-policy.mjs. */
export function policyObjects(): readonly PolicyObject[] {
  return (objects ??= readPolicy());
}

function readPolicy(): PolicyObject[] {
  const { clusterRoles, clusterRoleBindings, roles, roleBindings } = policy as {
    clusterRoles: Record<string, RoleEntry>;
    clusterRoleBindings: Record<string, BindingEntry>;
    roles: Record<string, string[]>;
    roleBindings: Record<string, BindingEntry>;
  };
  return [
    ...Object.entries(clusterRoles).map(([name, entry]) => ({ resource: `clusterroles.${rbac}`, object: clusterRoleOf(name, entry) })),
    ...Object.entries(clusterRoleBindings).map(([key, entry]) => ({
      resource: `clusterrolebindings.${rbac}`,
      object: bindingOf(key, entry),
    })),
    ...Object.entries(roles).map(([key, rules]) => ({ resource: `roles.${rbac}`, object: { ...named(key), rules: rules.map(ruleOf) } })),
    ...Object.entries(roleBindings).map(([key, entry]) => ({ resource: `rolebindings.${rbac}`, object: bindingOf(key, entry) })),
  ];
}

/** @param key `NAME` or `NAMESPACE/NAME` */
function named(key: string, labels: Record<string, string> = bootstrapping): KubeObject {
  const at = key.indexOf('/');
  const metadata = {
    name: key.slice(at + 1),
    ...(at < 0 ? {} : { namespace: key.slice(0, at) }),
    labels,
    annotations: { [autoupdateAnnotation]: 'true' },
  };
  return { metadata } as unknown as KubeObject;
}

function clusterRoleOf(name: string, { aggregatedTo, gathers, rules }: RoleEntry): Role {
  const labels = aggregatedTo === undefined ? bootstrapping : { ...bootstrapping, [`${aggregation}${aggregatedTo}`]: 'true' };
  const role = { ...named(name, labels), rules: rules ? rules.map(ruleOf) : null };
  if (gathers === undefined) return role;
  return { ...role, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${aggregation}${gathers}`]: 'true' } }] } };
}

/** `get list|core apps|pods deployments|a-name`, or `get|/path /path/*`. */
function ruleOf(text: string): PolicyRule {
  const [verbs = [], second = [], resources, resourceNames] = text.split('|').map((list) => list.split(' '));
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === 'core' ? '' : group));
  return { verbs, apiGroups, resources, ...(resourceNames ? { resourceNames } : {}) };
}

function bindingOf(key: string, { role, subjects }: BindingEntry): Binding {
  const [kind, name] = role.split(' ');
  const given = subjects.length > 0 ? { subjects: subjects.map(subjectOf) } : {};
  return { ...named(key), ...given, roleRef: { apiGroup: rbac, kind, name } };
}

function subjectOf(text: string): Subject {
  const [kind = '', full = ''] = text.split(' ');
  const at = full.indexOf('/');
  return kind === 'ServiceAccount'
    ? { kind, name: full.slice(at + 1), namespace: full.slice(0, at) }
    : { kind, apiGroup: rbac, name: full };
}
