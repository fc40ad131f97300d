import type { KubeObject } from '#libs/kernel';
import { listOf, type Loose } from '../../../../validation/values';
import { needsHealthCheckPort } from '../strategy';

function isAddressed({ type }: Loose): boolean {
  return type !== 'ExternalName';
}

function hasNodePorts({ type, allocateLoadBalancerNodePorts }: Loose): boolean {
  return type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
}

/** What was allocated stays where a change says nothing of it, so that what was sent once can be sent again. Source: upstream `patchAllocatedValues`. */
export function keepAllocated(service: KubeObject, old: KubeObject): KubeObject {
  const spec: Loose = { ...service.spec };
  const before: Loose = old.spec ?? {};
  if (isAddressed(before) && isAddressed(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if (listOf(spec.clusterIPs).length === 0 && listOf(before.clusterIPs).length > 0) spec.clusterIPs = before.clusterIPs;
  }
  if (hasNodePorts(before) && hasNodePorts(spec)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
  return { ...service, spec };
}

/** By the name of the port, unless another port has the number now. */
function keepNodePorts(spec: Loose, before: Loose): void {
  const held = new Map<string, number>(listOf(before.ports).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  const was = new Set(held.values());
  const used = new Set<number>(listOf(spec.ports).flatMap(({ nodePort }) => (nodePort && was.has(nodePort) ? [nodePort] : [])));
  if (!spec.ports) return;
  spec.ports = listOf(spec.ports).map((port) => {
    const nodePort = held.get(port.name ?? '');
    return port.nodePort || !nodePort || used.has(nodePort) ? port : { ...port, nodePort };
  });
}

function same(a: Loose, b: Loose): boolean {
  return JSON.stringify(listOf(a.clusterIPs)) === JSON.stringify(listOf(b.clusterIPs));
}

/** The address and the list of addresses as one, where a client knows but one of the two. Source: upstream `normalizeClusterIPs`. */
export function withBothFields(service: KubeObject, old?: KubeObject): KubeObject {
  const spec: Loose = service.spec ?? {};
  const { clusterIP = '' }: Loose = spec;
  const filled = (clusterIPs: unknown): KubeObject => ({ ...service, spec: { ...spec, clusterIPs } });
  if (!old) return clusterIP !== '' && listOf(spec.clusterIPs).length === 0 ? filled([clusterIP]) : service;
  const before: Loose = old.spec ?? {};
  const former: string = before.clusterIP ?? '';
  if (clusterIP === former) {
    const isCleared = listOf(before.clusterIPs).length > 0 && listOf(spec.clusterIPs).length === 0;
    return isCleared ? filled(before.clusterIPs) : service;
  }
  if (!same(spec, before)) return service;
  if (clusterIP !== '' || former === '') return filled([clusterIP]);
  const { clusterIPs: _, ...without } = spec;
  return { ...service, spec: without };
}
