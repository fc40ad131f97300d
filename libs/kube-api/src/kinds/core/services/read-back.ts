import type { KubeObject } from '#libs/kernel';
import { listOf, type Loose } from '../../../validation/values';

/**
 * A Service as it is read from the store: families of addresses that it was stored without, and nothing of what a mere name has no use for.
 * Source: upstream `defaultOnReadService`.
 */
export function readBackService(service: KubeObject): KubeObject {
  const { spec } = service;
  if (!spec) return service;
  if (spec.type === 'ExternalName') {
    if (spec.internalTrafficPolicy === undefined) return service;
    const { internalTrafficPolicy: _, ...kept } = spec;
    return { ...service, spec: kept };
  }
  if (listOf(spec.ipFamilies).length > 0) return service;
  const clusterIPs = listOf(spec.clusterIPs).length === 0 && spec.clusterIP ? [spec.clusterIP] : listOf(spec.clusterIPs);
  if (clusterIPs.length === 0) return service;
  return { ...service, spec: { ...spec, clusterIPs, ...familiesOf({ ...spec, clusterIPs }) } };
}

function familiesOf({ clusterIP, clusterIPs, selector }: Loose): { ipFamilies: string[]; ipFamilyPolicy: string } {
  if (clusterIP !== 'None') {
    const ipFamilies = clusterIPs.map((ip: string) => (ip.includes(':') ? 'IPv6' : 'IPv4'));
    return { ipFamilies, ipFamilyPolicy: ipFamilies.length === 1 ? 'SingleStack' : 'RequireDualStack' };
  }
  return Object.keys(selector ?? {}).length === 0
    ? { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' }
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
}
