import type { JsonObject } from '#libs/kernel';
import { listIn, setAbsent } from '../../defaults/draft';
import { validateObjectSelector } from '../../selectors/object-selector';
import { listOf, validateSupported, type Errors, type Loose } from '../../validation/values';
import { matchPolicies, validateNamedRule } from './rules';

export function setMatchDefaults(match: JsonObject | undefined): void {
  if (!match) return;
  setAbsent(match, 'matchPolicy', 'Equivalent');
  setAbsent(match, 'namespaceSelector', {});
  setAbsent(match, 'objectSelector', {});
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of listIn(match, list)) setAbsent(rule, 'scope', '*');
  }
}

/** Which requests a policy is about, or a binding of one; defaults have been set. */
export function validateMatchResources(match: Loose, field: string, errors: Errors): void {
  validateSupported(match.matchPolicy, matchPolicies, `${field}.matchPolicy`, errors);
  for (const key of ['namespaceSelector', 'objectSelector']) {
    errors.push(...validateObjectSelector(match[key], {}, `${field}.${key}`));
  }
  for (const list of ['resourceRules', 'excludeResourceRules']) {
    for (const [index, rule] of listOf(match[list]).entries()) validateNamedRule(rule ?? {}, `${field}.${list}[${index}]`, errors);
  }
}
