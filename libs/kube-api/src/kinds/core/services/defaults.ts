import type { JsonObject } from '#libs/kernel';
import { listIn, objectIn, setAbsent, setEmpty } from '../../../defaults/draft';

/** Everything but what is allocated (addresses, node ports, IP families), which create decides. */
export function setServiceDefaults(service: JsonObject): void {
  const spec = objectIn(service, 'spec');
  if (!spec) return;
  setEmpty(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = objectIn(spec, 'sessionAffinityConfig') ?? {};
    const clientIp = objectIn(config, 'clientIP') ?? {};
    setAbsent(clientIp, 'timeoutSeconds', 10_800);
    spec['sessionAffinityConfig'] = { ...config, clientIP: clientIp };
  }
  setEmpty(spec, 'type', 'ClusterIP');
  for (const port of listIn(spec, 'ports')) {
    setEmpty(port, 'protocol', 'TCP');
    setEmpty(port, 'targetPort', port['port'] ?? 0);
  }
  const type = spec['type'];
  const external = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && listLength(spec, 'externalIPs') > 0);
  if (external) setEmpty(spec, 'externalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer' || type === 'NodePort' || type === 'ClusterIP') setAbsent(spec, 'internalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') {
    setAbsent(spec, 'allocateLoadBalancerNodePorts', true);
    const balancer = objectIn(objectIn(service, 'status') ?? {}, 'loadBalancer') ?? {};
    for (const ingress of listIn(balancer, 'ingress')) if (ingress['ip']) setAbsent(ingress, 'ipMode', 'VIP');
  }
}

function listLength(holder: JsonObject, key: string): number {
  const value = holder[key];
  return Array.isArray(value) ? value.length : 0;
}
