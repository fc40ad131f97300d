import { goQuote } from '../../status';
import type { PolicyRule } from './policy-rule';

/** Rules on the same one resource become one rule with the verbs of all (upstream `CompactRules`). */
export function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const complex: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = keyOf(rule);
    const known = key === undefined ? undefined : simple.get(key);
    if (key === undefined) complex.push(rule);
    else simple.set(key, known ? { ...known, verbs: [...(known.verbs ?? []), ...(rule.verbs ?? [])] } : rule);
  }
  return [...complex, ...simple.values()];
}

function keyOf({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): string | undefined {
  if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0) return undefined;
  return JSON.stringify([apiGroups[0], resources[0], ...resourceNames]);
}

/** A rule on one line: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function compactText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = Object.entries({
    APIGroups: apiGroups,
    Resources: resources,
    NonResourceURLs: nonResourceURLs,
    ResourceNames: resourceNames,
    Verbs: verbs,
  });
  const told = parts.filter(([, list]) => list !== undefined && list.length > 0);
  return `{${told.map(([name, list]) => `${name}:${goQuotes(list as readonly string[])}`).join(', ')}}`;
}

/** A list as Go's `%q` shows it. */
export function goQuotes(list: readonly string[]): string {
  return `[${list.map(goQuote).join(' ')}]`;
}
