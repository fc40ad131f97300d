import { pathMatches, type PolicyRule } from './policy-rule';

const all = '*';
const listOf = (list: readonly string[] | undefined): readonly string[] => list ?? [];

/** Rules of one verb on one resource each (upstream `BreakdownRule`). */
export function brokenDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = listOf(rule.resourceNames);
  for (const group of listOf(rule.apiGroups))
    for (const resource of listOf(rule.resources))
      for (const verb of listOf(rule.verbs)) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (names.length === 0) parts.push(part);
        else for (const name of names) parts.push({ ...part, resourceNames: [name] });
      }
  for (const url of listOf(rule.nonResourceURLs))
    for (const verb of listOf(rule.verbs)) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  return parts;
}

/** Parts that wanted rules are broken down into, all together: a rule of a thousand groups, resources and verbs has a milliard of them. */
const partsMax = 100_000;

/**
 * What of the wanted rules the owned ones do not grant, verb by verb and resource by resource (upstream `Covers`). A rule beyond
 * `partsMax` is looked at whole: it is granted by one owned rule or not at all.
 */
export function uncovered(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const lacks = (part: PolicyRule): boolean => !owned.some((rule) => covers(rule, part));
  let left = partsMax;
  return wanted.flatMap((rule) => {
    const parts = countOfParts(rule);
    if (parts > left) return lacks(rule) ? [rule] : [];
    left -= parts;
    return brokenDown(rule).filter(lacks);
  });
}

function countOfParts({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const count = (list: readonly string[] | undefined): number => listOf(list).length;
  return count(verbs) * (count(apiGroups) * count(resources) * Math.max(1, count(resourceNames)) + count(nonResourceURLs));
}

function covers(owner: PolicyRule, part: PolicyRule): boolean {
  const names = listOf(owner.resourceNames);
  const wanted = listOf(part.resourceNames);
  return (
    hasAll(owner.verbs, part.verbs) &&
    hasAll(owner.apiGroups, part.apiGroups) &&
    listOf(part.resources).every((resource) => coversResource(listOf(owner.resources), resource)) &&
    (names.length === 0 || (wanted.length > 0 && wanted.every((name) => names.includes(name)))) &&
    listOf(part.nonResourceURLs).every((url) => listOf(owner.nonResourceURLs).some((known) => coversPath(known, url)))
  );
}

function hasAll(set: readonly string[] | undefined, wanted: readonly string[] | undefined): boolean {
  const owned = listOf(set);
  return owned.includes(all) || listOf(wanted).every((one) => owned.includes(one));
}

/** `*\/scale` covers the scale of each resource. */
function coversResource(owned: readonly string[], resource: string): boolean {
  if (owned.includes(all) || owned.includes(resource)) return true;
  const at = resource.indexOf('/');
  return at >= 0 && owned.includes(`*${resource.slice(at)}`);
}

function coversPath(known: string, url: string): boolean {
  return known === url || (known.endsWith(all) && pathMatches(known, url));
}
