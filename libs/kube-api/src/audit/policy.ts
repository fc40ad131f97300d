import { isOfResource, pathMatches, type Attributes, type User } from '../authorization';

/** How much is recorded of a request, from nothing to both of its bodies. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];

/** When something is recorded of a request; `ResponseStarted` only of those that go on. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditStage = (typeof auditStages)[number];

/** Resources of a group: `pods`, `pods/log`, `pods/*`, `*\/scale`, `*`. */
export interface AuditResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** `audit.k8s.io/v1 PolicyRule`. A list that is empty or absent means everything. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditResources[];
  /** The empty text stands for what lies in no namespace. */
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** `audit.k8s.io/v1 Policy`. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

/** What is recorded of one request. */
export interface AuditScope {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/**
 * What a policy says of a request: the first rule that fits counts (upstream `EvaluatePolicyRule`). Undefined: nothing is recorded.
 * @param user who has sent it, not whom he acts for; undefined: nobody knows
 */
export function auditScopeOf(policy: AuditPolicy, attributes: Attributes, user: User | undefined): AuditScope | undefined {
  const rule = policy.rules.find((candidate) => fits(candidate, attributes, user));
  if (!rule || rule.level === 'None') return undefined;
  return {
    level: rule.level,
    omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

/** Whether a request is to be recorded at a level or above it. */
export function isAtLeast(level: AuditLevel, wanted: AuditLevel): boolean {
  return auditLevels.indexOf(level) >= auditLevels.indexOf(wanted);
}

function fits(rule: AuditRule, attributes: Attributes, user: User | undefined): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (isGiven(users) && !(user && users.includes(user.name))) return false;
  if (isGiven(userGroups) && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (isGiven(verbs) && !verbs.includes(attributes.verb)) return false;
  if (isGiven(namespaces) || isGiven(resources)) return fitsResource(rule, attributes);
  return isGiven(nonResourceURLs) ? fitsPath(nonResourceURLs, attributes) : true;
}

function isGiven<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function fitsPath(urls: readonly string[], attributes: Attributes): boolean {
  if (isOfResource(attributes)) return false;
  return urls.some((url) => pathMatches(url, attributes.path));
}

function fitsResource({ namespaces, resources }: AuditRule, attributes: Attributes): boolean {
  if (!isOfResource(attributes)) return false;
  const { group, resource, subresource, namespace, name } = attributes;
  if (isGiven(namespaces) && !namespaces.includes(namespace)) return false;
  if (!isGiven(resources)) return true;
  return resources.some(({ group: ofGroup = '', resources: of, resourceNames }) => {
    if (ofGroup !== group) return false;
    if (!isGiven(of)) return true;
    if (isGiven(resourceNames) && !resourceNames.includes(name)) return false;
    return of.some((pattern) => meansResource(pattern, resource, subresource));
  });
}

/** `pods/*` means the pods themselves too, as upstream has it. */
function meansResource(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*' || pattern === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  return (subresource !== '' && pattern === `*/${subresource}`) || pattern === `${resource}/*`;
}
