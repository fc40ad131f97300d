import type { Reconciler } from '#libs/control-loop';
import { jsonEqual, type Json, type JsonObject, type KubeObject } from '#libs/kernel';
import { compileObjectSelector, type AggregationRule, type PolicyRule } from '#libs/kube-api';

const resource = 'clusterroles.rbac.authorization.k8s.io';
const manager = 'clusterrole-aggregation-controller';

/** Gives each aggregated ClusterRole the rules of those that its selectors find (upstream `ClusterRoleAggregationController`). */
export const roleAggregation: Reconciler = {
  name: manager,
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},
  follows: [resource],
  follow: (_index, { change }, cluster) => (change?.resource === resource ? aggregatedIn(cluster.list(resource)) : []),
  allSubjects: (_index, cluster) => aggregatedIn(cluster.list(resource)),
  reconcile(cluster, _index, name) {
    const role = cluster.get(resource, undefined, name);
    const rule = role && aggregationOf(role);
    if (!role || !rule) return undefined;
    const rules = gathered(name, rule, [...cluster.list(resource)]);
    if (jsonEqual(rules as unknown as Json, rulesOf(role) as unknown as Json)) return undefined;
    // Where nothing is gathered, upstream leaves the rules out: what somebody else has put there stays.
    const wanted = rules.length > 0 ? { rules } : {};
    const config = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name },
      ...wanted,
    } as unknown as JsonObject;
    const target = { resource, name };
    return { steps: [{ step: 'rules', request: { verb: 'apply', target, config, force: true, options: { fieldManager: manager } } }] };
  },
};

function* aggregatedIn(roles: Iterable<KubeObject>): Iterable<string> {
  for (const role of roles) if (aggregationOf(role)) yield role.metadata.name;
}

function aggregationOf({ aggregationRule }: KubeObject): AggregationRule | undefined {
  return (aggregationRule as AggregationRule | null | undefined) ?? undefined;
}

const rulesOf = ({ rules }: KubeObject): readonly PolicyRule[] => (rules as PolicyRule[] | null | undefined) ?? [];

/** Selector by selector, role by role in the order of their names, each rule once. */
function gathered(own: string, { clusterRoleSelectors }: AggregationRule, roles: readonly KubeObject[]): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  for (const selector of clusterRoleSelectors ?? []) {
    const compiled = compileObjectSelector(selector);
    for (const role of roles) {
      if (role.metadata.name === own || !compiled.matches(role.metadata.labels ?? {})) continue;
      for (const rule of rulesOf(role)) {
        const key = JSON.stringify(rule);
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}
