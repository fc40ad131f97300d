import { duplicate, invalidValue, required } from '../../../status/field-error';
import { parseLegacyAddress, validateLegacyIP } from '../../../validation/legacy-addresses';
import type { Errors, Loose } from '../../../validation/values';
import { isSet, listOf, validateSupported } from '../../../validation/values';

export function isHeadlessSpec(spec: Loose): boolean {
  return listOf(spec.clusterIPs).length === 1 && spec.clusterIPs[0] === 'None';
}

/** Cluster IPs, their families and the policy, which must tell one story. */
export function validateClusterIPs(spec: Loose, errors: Errors): void {
  if (spec.type === 'ExternalName') return;
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
  if (ips.length > 1 && new Set(ips.map((ip) => parseLegacyAddress(ip)?.family)).size < 2) {
    errors.push(invalidValue(field, ips, 'may specify no more than one IP for each IP family'));
  }
  if (isHeadlessSpec(spec)) return;
  for (const [index, ip] of ips.entries()) {
    const family = parseLegacyAddress(ip)?.family === 6 ? 'IPv6' : 'IPv4';
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
    const isAddress = validateLegacyIP(ip, `${field}[${index}]`, errors);
    valid &&= isAddress;
  }
  if (ips.length > 2) errors.push(invalidValue(field, ips, 'may only hold up to 2 values'));
  return valid;
}
