import type { KubeObject } from '#libs/kernel';
import { age, nameOf, none, rowOf, type Loose } from '../../../printing/cell';

export const serviceRow = rowOf((service, now) => {
  const spec: Loose = service.spec ?? {};
  const ports: Loose[] = spec.ports ?? [];
  const shown = ports.map(({ port, nodePort, protocol = 'TCP' }) => `${port}${nodePort > 0 ? `:${nodePort}` : ''}/${protocol}`);
  const selector = Object.entries((spec.selector ?? {}) as Record<string, string>);
  return [
    nameOf(service),
    spec.type ?? '',
    spec.clusterIPs?.[0] || none,
    externalAddress(service),
    shown.join(',') || none,
    age(service, now),
    selector
      .map(([key, value]) => `${key}=${value}`)
      .sort()
      .join(',') || none,
  ];
});

function externalAddress({ spec = {}, status }: KubeObject): string {
  const externalIPs: string[] = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || none;
    case 'LoadBalancer': {
      const ingress: Loose[] = status?.loadBalancer?.ingress ?? [];
      const balanced = [...new Set(ingress.map(({ ip, hostname }) => ip || hostname).filter(Boolean))].sort();
      return [...balanced, ...externalIPs].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}
