import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue, required } from '../../../status/field-error';
import { isDnsSubdomain } from '../../../validation/formats';
import { parseLegacyAddress, validateLegacyIP } from '../../../validation/legacy-addresses';
import { validateMetadataUpdate } from '../../../validation/metadata';
import { isHeadlessSpec } from './addressing';
import { needsHealthCheckPort } from './strategy';
import { validateLoadBalancerClass, validateServiceRules } from './validation';
import type { Errors, Loose } from '../../../validation/values';
import { immutableText, isSet, listOf, validateSupported, validateTexts } from '../../../validation/values';

/** What was allocated stays: cluster IPs and families change only by adding or releasing the second one. */
export function validateServiceUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const spec: Loose = updated.spec ?? {};
  const before: Loose = old.spec ?? {};
  if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
    const headless = [isHeadlessSpec(before), isHeadlessSpec(spec)];
    if (!(headless[0] && headless[1])) validateKept('clusterIPs', 'clusterIP', spec, before, errors);
    if (!headless[0] && !headless[1]) validateKept('ipFamilies', 'ipFamily', spec, before, errors);
  }
  if (
    before.type === 'LoadBalancer' &&
    spec.type === 'LoadBalancer' &&
    (spec.loadBalancerClass ?? '') !== (before.loadBalancerClass ?? '')
  ) {
    errors.push(invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'));
    // The rules of every Service follow, and say it once more.
  } else validateLoadBalancerClass(spec, errors);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && (spec.healthCheckNodePort ?? 0) !== (before.healthCheckNodePort ?? 0))
    errors.push(forbidden('spec.healthCheckNodePort', immutableText));
  validateServiceRules(updated, old, errors);
}

function validateKept(list: 'clusterIPs' | 'ipFamilies', what: string, spec: Loose, before: Loose, errors: Errors): void {
  const now = listOf(spec[list]);
  const was = listOf(before[list]);
  const field = `spec.${list}`;
  if (was.length === now.length) {
    for (const [index, value] of was.entries()) {
      const at = list === 'clusterIPs' ? index : 0;
      if (value !== now[index]) errors.push(invalidValue(`${field}[${at}]`, now, 'may not change once set'));
    }
    return;
  }
  if (was.length > now.length && listOf(spec.clusterIPs).length === 0) {
    errors.push(invalidValue(`${field}[0]`, now.length === 0 ? null : now, `primary ${what} can not be unset`));
  }
  if (was.length > 0 && now.length > 0 && now[0] !== was[0])
    errors.push(invalidValue(`${field}[0]`, listOf(spec.clusterIPs), 'may not change once set'));
  if (was.length > now.length && now.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    const text = `must be set to 'SingleStack' when releasing the secondary ${what}`;
    errors.push(invalidValue('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, text));
  }
}

export function validateServiceStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const ingress = listOf(updated.status?.loadBalancer?.ingress);
  const field = 'status.loadBalancer.ingress';
  if (ingress.length > 0 && updated.spec?.type !== 'LoadBalancer') {
    errors.push(forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'"));
    return;
  }
  for (const [index, { ip = '', hostname = '', ipMode }] of ingress.entries()) {
    const at = `${field}[${index}]`;
    if (ip) validateLegacyIP(ip, `${at}.ip`, errors);
    if (!isSet(ipMode)) {
      if (ip) errors.push(required(`${at}.ipMode`, 'must be specified when `ip` is set'));
    } else if (!ip) errors.push(forbidden(`${at}.ipMode`, 'may not be specified when `ip` is not set'));
    else validateSupported(ipMode, ['Proxy', 'VIP'], `${at}.ipMode`, errors);
    if (!hostname) continue;
    validateTexts(isDnsSubdomain(hostname), hostname, `${at}.hostname`, errors);
    if (parseLegacyAddress(hostname)) errors.push(invalidValue(`${at}.hostname`, hostname, 'must be a DNS name, not an IP address'));
  }
}
