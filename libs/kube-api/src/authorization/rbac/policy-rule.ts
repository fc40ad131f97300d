import { isOfResource, type Attributes } from '../attributes';

/** A rule of a role. Absent lists are empty. */
export interface PolicyRule {
  verbs?: readonly string[];
  apiGroups?: readonly string[];
  resources?: readonly string[];
  resourceNames?: readonly string[];
  nonResourceURLs?: readonly string[];
}

const all = '*';
const has = (list: readonly string[] | undefined, text: string): boolean =>
  list !== undefined && (list.includes(all) || list.includes(text));

/** Whether a rule lets somebody do this (upstream `rbac.RuleAllows`). */
export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (!isOfResource(attributes)) return (rule.nonResourceURLs ?? []).some((known) => pathMatches(known, attributes.path));
  const { group, resource, subresource, name } = attributes;
  return has(rule.apiGroups, group) && resourceMatches(rule.resources, resource, subresource) && nameMatches(rule.resourceNames, name);
}

/** `pods/log` is a resource of its own; `*\/scale` is that of any. */
function resourceMatches(resources: PolicyRule['resources'], resource: string, subresource: string): boolean {
  if (!resources) return false;
  return (
    has(resources, subresource === '' ? resource : `${resource}/${subresource}`) ||
    (subresource !== '' && resources.includes(`*/${subresource}`))
  );
}

function nameMatches(names: PolicyRule['resourceNames'], name: string): boolean {
  return !names || names.length === 0 || names.includes(name);
}

/** A path that ends in `*` is the beginning of others. */
export function pathMatches(known: string, path: string): boolean {
  return known === all || known === path || (known.endsWith(all) && path.startsWith(known.replace(/\*+$/, '')));
}
