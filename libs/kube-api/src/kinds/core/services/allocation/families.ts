import type { KubeObject } from '#libs/kernel';
import { invalid, invalidValue, type Failure } from '../../../../status';
import { parseLegacyAddress } from '../../../../validation/legacy-addresses';
import { listOf, type Errors, type Loose } from '../../../../validation/values';
import { isHeadlessSpec, validateClusterIPs } from '../addressing';

const addressing = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;
const policyField = 'spec.ipFamilyPolicy';

/** Whether the Service has neither addresses nor pods of its own, so that it may be of any families. */
function isFree(spec: Loose): boolean {
  return spec.clusterIP === 'None' && Object.keys(spec.selector ?? {}).length === 0;
}

/** What prefers two stacks stays with what it was given. */
export function staysAsPreferred(spec: Loose, before: Loose | undefined): boolean {
  if (!before || before.type !== spec.type || spec.ipFamilyPolicy !== 'PreferDualStack') return false;
  return addressing.every((field) => JSON.stringify(spec[field] ?? []) === JSON.stringify(before[field] ?? []));
}

/**
 * The families of a Service's addresses and how many it is to have, on this cluster of one family; or why that cannot be. Looked at before
 * anything else is validated, and told alone. Source: upstream `initIPFamilyFields`.
 */
export function withFamilies(service: KubeObject, old?: KubeObject): KubeObject | Failure {
  const before: Loose | undefined = old?.spec;
  if (service.spec?.type === 'ExternalName' || staysAsPreferred(service.spec, before)) return service;
  const spec: Loose = { ...service.spec };
  spec.ipFamilyPolicy ||= before?.ipFamilyPolicy || (isFree(spec) ? 'RequireDualStack' : 'SingleStack');
  const errors: Errors = [];
  validateClusterIPs(spec, errors);
  if (errors.length === 0) reduce(spec, before, errors);
  if (errors.length === 0) {
    if (isFree(spec)) fillFree(spec);
    else fill(spec, errors);
  }
  return errors.length > 0 ? invalid('Service', service.metadata.name, errors) : { ...service, spec };
}

/** One stack has one address and one family; to give the second one up the policy has to say so. */
function reduce(spec: Loose, before: Loose | undefined, errors: Errors): void {
  const refuse = (text: string) => errors.push(invalidValue(policyField, spec.ipFamilyPolicy, text));
  const lists = [
    ['clusterIPs', 'cluster IPs', 'cluster IP'],
    ['ipFamilies', 'IP families', 'IP family'],
  ] as const;
  for (const [list, , one] of before ? lists : []) {
    const now = listOf(spec[list]);
    const was = listOf(before?.[list]);
    if (spec.ipFamilyPolicy !== 'SingleStack') {
      if (now.length > 0 && now.length < was.length) refuse(`must be 'SingleStack' to release the secondary ${one}`);
    } else if (now.length > 1 && JSON.stringify(now) === JSON.stringify(was)) spec[list] = now.slice(0, 1);
  }
  for (const [list, several] of spec.ipFamilyPolicy === 'SingleStack' ? lists : []) {
    if (listOf(spec[list]).length === 2) refuse(`must be 'RequireDualStack' or 'PreferDualStack' when multiple ${several} are specified`);
  }
  readOffAddresses(spec, errors);
}

/** Where families are not told, addresses tell them. */
function readOffAddresses(spec: Loose, errors: Errors): void {
  const families: string[] = [...listOf(spec.ipFamilies)];
  for (const [index, ip] of listOf(spec.clusterIPs).entries()) {
    if (ip === 'None') break;
    if (index < families.length) continue;
    if (parseLegacyAddress(ip)?.family === 4) families.push('IPv4');
    else errors.push(invalidValue(`spec.clusterIPs[${index}]`, spec.clusterIPs, 'IPv6 is not configured on this cluster'));
  }
  if (families.length > 0) spec.ipFamilies = families;
}

function fillFree(spec: Loose): void {
  const [first = 'IPv4', ...others]: string[] = listOf(spec.ipFamilies);
  const second = first === 'IPv4' ? 'IPv6' : 'IPv4';
  spec.ipFamilies = others.length === 0 && spec.ipFamilyPolicy !== 'SingleStack' ? [first, second] : [first, ...others];
}

function fill(spec: Loose, errors: Errors): void {
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.push(invalidValue(policyField, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of listOf(spec.ipFamilies).entries())
    if (family !== 'IPv4') errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  if (listOf(spec.ipFamilies).length === 0) spec.ipFamilies = ['IPv4'];
}

/** Whether a changed Service is to be given an address: one that had none because it was but a name. */
export function becomesAddressed(spec: Loose, before: Loose): boolean {
  return before.type === 'ExternalName' && spec.type !== 'ExternalName' && !isHeadlessSpec(spec);
}
