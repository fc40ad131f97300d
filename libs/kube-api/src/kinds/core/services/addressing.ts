import type { KubeObject } from '#libs/kernel';
import { duplicate, invalidValue, required } from '../../../status/field-error';
import { parseAddress, validateIP } from '../../../validation/addresses';
import type { Errors, Loose } from '../../../validation/values';
import { isSet, listOf, validateSupported } from '../../../validation/values';

export function isHeadlessSpec(spec: Loose): boolean {
  return listOf(spec.clusterIPs).length === 1 && spec.clusterIPs[0] === 'None';
}

const addressing = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;

/**
 * Whether a Service can be given addresses as it asks, on this cluster of one family. Upstream looks at that before it validates anything
 * else, and stops at the first group of findings.
 */
export function validateAddressing(service: KubeObject, old: KubeObject | undefined, errors: Errors): void {
  const spec: Loose = service.spec ?? {};
  const before: Loose | undefined = old?.spec;
  if (spec.type === 'ExternalName' || staysAsPreferred(spec, before)) return;
  validateClusterIPs(spec, errors);
  if (errors.length > 0) return;
  validatePolicy(spec, before, errors);
  // A headless Service without selector may have any families.
  if (errors.length > 0 || (isHeadlessSpec(spec) && Object.keys(spec.selector ?? {}).length === 0)) return;
  const policy = 'spec.ipFamilyPolicy';
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.push(invalidValue(policy, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of listOf(spec.ipFamilies).entries())
    if (family !== 'IPv4') errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
}

/** What prefers two stacks stays with what it was given. */
function staysAsPreferred(spec: Loose, before: Loose | undefined): boolean {
  if (!before || before.type === 'ExternalName' || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  return addressing.every((field) => JSON.stringify(spec[field] ?? []) === JSON.stringify(before[field] ?? []));
}

/** One stack has one address and one family; to give the second one up the policy has to say so. */
function validatePolicy(spec: Loose, before: Loose | undefined, errors: Errors): void {
  const lists = [
    ['clusterIPs', 'cluster IPs', 'cluster IP'],
    ['ipFamilies', 'IP families', 'IP family'],
  ] as const;
  const { ipFamilyPolicy } = spec;
  for (const [list, several, one] of lists) {
    const now = listOf(spec[list]).length;
    const was = listOf(before?.[list]).length;
    let text: string | undefined;
    if (ipFamilyPolicy !== 'SingleStack') {
      if (now > 0 && now < was) text = `must be 'SingleStack' to release the secondary ${one}`;
    } else if (now === 2) text = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${several} are specified`;
    if (text) errors.push(invalidValue('spec.ipFamilyPolicy', ipFamilyPolicy, text));
  }
}

/** Cluster IPs, their families and the policy, which must tell one story. */
function validateClusterIPs(spec: Loose, errors: Errors): void {
  const ips = listOf(spec.clusterIPs);
  const field = 'spec.clusterIPs';
  if (spec.clusterIP) {
    if (ips.length === 0) errors.push(required(field));
    else if (ips[0] !== spec.clusterIP) errors.push(invalidValue(field, ips, 'first value must match `clusterIP`'));
  } else if (ips.length > 0) errors.push(invalidValue(field, ips, 'must be empty when `clusterIP` is not specified'));
  const families = listOf(spec.ipFamilies);
  const seen = new Set<unknown>();
  for (const [index, family] of families.entries()) {
    validateSupported(family, ['IPv4', 'IPv6'], `spec.ipFamilies[${index}]`, errors);
    if (seen.has(family)) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
    seen.add(family);
  }
  if (isSet(spec.ipFamilyPolicy)) {
    validateSupported(spec.ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'spec.ipFamilyPolicy', errors);
  }
  if (!validateAddresses(ips, field, errors)) return;
  if (ips.length > 1 && new Set(ips.map((ip) => parseAddress(ip)?.family)).size < ips.length) {
    errors.push(invalidValue(field, ips, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadlessSpec(spec)) return;
  for (const [index, ip] of ips.entries()) {
    const family = parseAddress(ip)?.family === 6 ? 'IPv6' : 'IPv4';
    if ((families[index] === 'IPv4' || families[index] === 'IPv6') && families[index] !== family) {
      errors.push(invalidValue(`${field}[${index}]`, ip, `expected an ${families[index]} value as indicated by \`ipFamilies[${index}]\``));
    }
  }
}

/** Whether all are addresses, or the one word that stands for none. */
function validateAddresses(ips: string[], field: string, errors: Errors): boolean {
  let valid = true;
  for (const [index, ip] of ips.entries()) {
    if (index === 0 && ip === 'None') {
      if (ips.length > 1) errors.push(invalidValue(field, ips, "'None' must be the first and only value"));
      valid &&= ips.length === 1;
      continue;
    }
    const found = validateIP(ip, `${field}[${index}]`);
    valid &&= found.length === 0;
    errors.push(...found);
  }
  if (ips.length > 2) errors.push(invalidValue(field, ips, 'may only hold up to 2 values'));
  return valid;
}
