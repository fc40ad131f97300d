import type { ResourceKind } from '../../kinds';
import type { ObjectSelector } from '../../selectors';
import { isFailure, type Failure } from '../../status';
import { resourceOf, type Attributes } from '../attributes';
import type { AdmissionLookup } from '../chain';
import { ruleMatches, type Rule } from './rules';
import { namespaceSelected, objectSelected } from './selectors';

export interface Criteria {
  readonly namespaceSelector?: ObjectSelector | null;
  readonly objectSelector?: ObjectSelector | null;
  readonly matchPolicy?: string;
}

/**
 * In which of its versions a request is meant: the one that was asked for, or else the first one that a rule names, where equivalent ones count.
 * Undefined: the request is not meant. A namespace that is not there is told only for requests that are.
 */
export function matchedIn(criteria: Criteria, rules: readonly Rule[], request: Attributes): ResourceKind | Failure | undefined {
  const inNamespace = namespaceSelected(criteria.namespaceSelector, request);
  if (inNamespace === false || !objectSelected(criteria.objectSelector, request)) return undefined;
  const matched = versionMeant(rules, criteria.matchPolicy, request);
  return matched && isFailure(inNamespace) ? inNamespace : matched;
}

/** The version of the resource that one of the rules names. */
export function versionMeant(rules: readonly Rule[], matchPolicy: string | undefined, request: Attributes): ResourceKind | undefined {
  const { served } = request.called;
  if (rules.some((rule) => ruleMatches(rule, request, request.resource) && isNameMeant(rule, request))) return served;
  if (matchPolicy !== 'Equivalent') return undefined;
  const { equivalents } = request;
  if (equivalents.length === 0) return undefined;
  for (const rule of rules)
    for (const other of equivalents) if (ruleMatches(rule, request, resourceOf(other)) && isNameMeant(rule, request)) return other;
  return undefined;
}

function isNameMeant({ resourceNames }: Rule, { name }: Attributes): boolean {
  return !resourceNames || resourceNames.length === 0 || resourceNames.includes(name);
}

const exempt = new Set([
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io',
  'mutatingadmissionpolicies.admissionregistration.k8s.io',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
]);

/** Nobody can lock himself out of what he has configured. */
export function isExempt({ served }: { readonly served: ResourceKind }): boolean {
  return exempt.has(served.groupResource);
}

/** Whether the server was told to do without a plug-in. */
export function isDisabled(plugin: string, { configuration }: AdmissionLookup): boolean {
  return configuration?.disabled.includes(plugin) ?? false;
}
