import type { KubeObject } from '#libs/kernel';
import { warnAboutCidr, warnAboutIP } from '../../../validation/legacy-addresses';
import { listOf } from '../../../validation/values';

const oldHints = 'service.kubernetes.io/topology-aware-hints';

/** What of a Service is written in an old way, or is of no use to its type. */
export function warnAboutService({ metadata, spec = {} }: KubeObject, warnings: string[]): void {
  const { type, clusterIP, externalName, loadBalancerIP } = spec;
  const externalIPs = listOf(spec.externalIPs);
  if (Object.hasOwn(metadata.annotations ?? {}, oldHints))
    warnings.push(`annotation ${oldHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (clusterIP && clusterIP !== 'None')
    for (const [index, ip] of listOf(spec.clusterIPs).entries()) warnAboutIP(ip, `spec.clusterIPs[${index}]`, warnings);
  if (type === 'ClusterIP' && clusterIP === 'None') {
    const ignored = (field: string) => warnings.push(`spec.${field} is ignored for headless services`);
    if (loadBalancerIP) ignored('loadBalancerIP');
    if (externalIPs.length > 0) ignored('externalIPs');
    if (spec.sessionAffinity !== 'None') ignored('SessionAffinity');
  }
  for (const [index, ip] of externalIPs.entries()) warnAboutIP(ip, `spec.externalIPs[${index}]`, warnings);
  if (loadBalancerIP) warnAboutIP(loadBalancerIP, 'spec.loadBalancerIP', warnings);
  for (const [index, range] of listOf(spec.loadBalancerSourceRanges).entries())
    warnAboutCidr(range, `spec.loadBalancerSourceRanges[${index}]`, warnings);
  if (type === 'ExternalName' && externalIPs.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== 'ExternalName' && externalName) warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
}
