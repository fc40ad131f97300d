import type { KubeObject } from '#libs/kernel';
import { age, nameOf, none, rowOf, type Loose } from '../../printing/cell';
import { warnAboutBalancers } from '../../validation/legacy-addresses';
import { listOf } from '../../validation/values';
import type { KindDescription } from '../behaviour';
import { classAnnotation, validateIngressStatus, validateIngressUpdate, validateNewIngress } from './ingress-validation';

const hostsMax = 3;

function hostsText(rules: readonly Loose[]): string {
  const hosts = rules
    .slice(0, hostsMax)
    .map(({ host }) => host)
    .filter(Boolean);
  if (hosts.length === 0) return '*';
  return rules.length > hostsMax ? `${hosts.join(',')} + ${rules.length - hostsMax} more...` : hosts.join(',');
}

/** Addresses of the balancer; clients cut them where their column is narrow. */
function addressText(status: Loose): string {
  const balanced = listOf(status?.loadBalancer?.ingress).map(({ ip, hostname }): string => ip || hostname || '');
  return [...new Set(balanced.filter(Boolean))].sort().join(',');
}

function warnAboutIngress({ metadata, spec }: KubeObject, warnings: string[]): void {
  if (metadata.annotations?.[classAnnotation] === undefined || spec?.ingressClassName !== undefined) return;
  warnings.push(`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`);
}

export const ingresses: KindDescription = {
  name: 'ingresses.networking.k8s.io',
  served: true,
  generation: 'managed',
  formerVersions: ['networking.k8s.io/v1beta1', 'extensions/v1beta1'],
  strategy: { zeroStatus: { loadBalancer: {} } },
  validation: { create: validateNewIngress, update: validateIngressUpdate, subresources: { status: validateIngressStatus } },
  warn: (ingress, old, warnings) => {
    if (!old) warnAboutIngress(ingress, warnings);
  },
  warnOfStatus: ({ status }, warnings) => warnAboutBalancers(status, warnings),
  row: rowOf((ingress, now) => {
    const { ingressClassName, rules, tls }: Loose = ingress.spec ?? {};
    const ports = listOf(tls).length > 0 ? '80, 443' : '80';
    return [nameOf(ingress), ingressClassName ?? none, hostsText(listOf(rules)), addressText(ingress.status), ports, age(ingress, now)];
  }),
};
