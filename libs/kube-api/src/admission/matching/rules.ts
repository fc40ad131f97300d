import type { Attributes, GroupVersionResource } from '../attributes';

/** `admissionregistration.k8s.io/v1 RuleWithOperations`, with the names that policies add. */
export interface Rule {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
  readonly resourceNames?: readonly string[];
}

/** Whether a rule means this request, were it about that resource (upstream: `rules.Matcher`). */
export function ruleMatches(rule: Rule, request: Attributes, resource: GroupVersionResource): boolean {
  return (
    isInScope(rule.scope, request, resource) &&
    isNamed(rule.operations, request.operation) &&
    isNamed(rule.apiGroups, resource.group) &&
    isNamed(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((named) => isResource(named, resource.resource, request.subresource))
  );
}

function isInScope(scope: string | undefined, request: Attributes, { group, resource }: GroupVersionResource): boolean {
  const isNamespace = group === '' && resource === 'namespaces';
  if (scope === 'Namespaced') return !isNamespace && request.namespace !== '';
  if (scope === 'Cluster') return isNamespace || request.namespace === '';
  return true;
}

function isNamed(names: readonly string[] | undefined, name: string): boolean {
  return names?.some((named) => named === '*' || named === name) ?? false;
}

function isResource(named: string, resource: string, subresource: string): boolean {
  const slash = named.indexOf('/');
  const [ofResource, ofSubresource] = slash < 0 ? [named, ''] : [named.slice(0, slash), named.slice(slash + 1)];
  return (ofResource === '*' || ofResource === resource) && (ofSubresource === '*' || ofSubresource === subresource);
}
