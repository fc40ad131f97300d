import type { GroupResource, KubeObject } from '#libs/kernel';
import { requirementMatches, type LabelOperator } from '../selectors';
import type { Traits } from './demand';

/** One condition on what a quota counts. */
export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** All conditions of a quota: its plain scopes and those of its selector. */
export function scopesOf({ spec }: KubeObject): ScopeRequirement[] {
  const { scopes = [], scopeSelector } = (spec ?? {}) as {
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeRequirement[] };
  };
  return [...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })), ...(scopeSelector?.matchExpressions ?? [])];
}

/** Whether an object of the kind is in the scope. Only pods and claims are in any. */
export function isInScope(resource: GroupResource, traits: Traits, requirement: ScopeRequirement): boolean {
  if (resource === 'persistentvolumeclaims')
    return requirement.scopeName === 'VolumeAttributesClass' && isNamed(requirement, traits.volumeAttributesClasses ?? []);
  if (resource !== 'pods') return false;
  switch (requirement.scopeName) {
    case 'Terminating':
      return traits.terminating === true;
    case 'NotTerminating':
      return traits.terminating !== true;
    case 'BestEffort':
      return traits.bestEffort === true;
    case 'NotBestEffort':
      return traits.bestEffort !== true;
    case 'PriorityClass':
      return isNamed(requirement, traits.priorityClass === undefined ? [] : [traits.priorityClass]);
    case 'CrossNamespacePodAffinity':
      return traits.crossNamespaceAffinity === true;
    default:
      return false;
  }
}

const operators: Readonly<Record<string, LabelOperator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/** Names are compared as upstream does it: as the one label of an object. */
function isNamed({ scopeName: key, operator, values = [] }: ScopeRequirement, names: readonly string[]): boolean {
  const how = operators[operator];
  if (!how) return false;
  const requirement = { key, operator: how, values };
  if (names.length === 0) return requirementMatches(requirement, {});
  return names.some((name) => requirementMatches(requirement, { [key]: name }));
}

/** As Go prints a list of them. */
export function scopesText(requirements: readonly ScopeRequirement[]): string {
  return `[${requirements.map(({ scopeName, operator, values = [] }) => `{${scopeName} ${operator} [${values.join(' ')}]}`).join(' ')}]`;
}
