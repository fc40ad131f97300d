import type { KubeObject } from '#libs/kernel';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

export function needsClusterIP(spec: Loose): boolean {
  return spec?.type === undefined || ['ClusterIP', 'NodePort', 'LoadBalancer'].includes(spec.type);
}

export function needsNodePort(spec: Loose): boolean {
  return spec?.type === 'NodePort' || (spec?.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

export function isHeadless(spec: Loose): boolean {
  return spec?.clusterIP === 'None' || spec?.clusterIPs?.[0] === 'None';
}

function needsHealthCheckPort(spec: Loose): boolean {
  return spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** A new service: no status, address and its list brought together, families filled on this single-stack cluster. */
export function prepareNewService(service: KubeObject): KubeObject {
  const spec = { ...service.spec };
  if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
  else if (!spec.clusterIP && spec.clusterIPs?.length > 0) spec.clusterIP = spec.clusterIPs[0];
  return { ...service, spec: withFamilies(spec), status: { loadBalancer: {} } };
}

function withFamilies(spec: Loose): Loose {
  if (!needsClusterIP(spec)) return spec;
  const filled = { ...spec };
  if (!filled.ipFamilyPolicy) {
    const selectorless = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
    filled.ipFamilyPolicy = selectorless ? 'RequireDualStack' : 'SingleStack';
  }
  if (!filled.ipFamilies?.length) {
    filled.ipFamilies = filled.ipFamilyPolicy === 'RequireDualStack' && isHeadless(spec) ? ['IPv4', 'IPv6'] : ['IPv4'];
  }
  return filled;
}

/** An update keeps what was allocated where it says nothing, and drops what its new type has no use for. */
export function prepareServiceUpdate(updated: KubeObject, old: KubeObject): KubeObject {
  let spec: Loose = { ...updated.spec };
  const before = old.spec ?? {};
  if (needsClusterIP(spec) && needsClusterIP(before)) keepAddress(spec, before);
  if (needsNodePort(spec) && needsNodePort(before)) keepNodePorts(spec, before);
  if (needsHealthCheckPort(spec) && needsHealthCheckPort(before) && !spec.healthCheckNodePort && before.healthCheckNodePort) {
    spec.healthCheckNodePort = before.healthCheckNodePort;
  }
  spec = withFamilies(dropForType(spec, before));
  return { ...updated, spec, status: old.status };
}

function keepAddress(spec: Loose, before: Loose): void {
  const sameList = JSON.stringify(spec.clusterIPs ?? []) === JSON.stringify(before.clusterIPs ?? []);
  if (!spec.clusterIP && (!spec.clusterIPs?.length || sameList)) {
    if (before.clusterIP) spec.clusterIP = before.clusterIP;
    if (before.clusterIPs) spec.clusterIPs = before.clusterIPs;
  } else if (spec.clusterIP && !spec.clusterIPs?.length) {
    spec.clusterIPs = spec.clusterIP === before.clusterIP ? before.clusterIPs : [spec.clusterIP];
  } else if (spec.clusterIP !== before.clusterIP && sameList) spec.clusterIPs = [spec.clusterIP];
  if (!spec.ipFamilyPolicy && before.ipFamilyPolicy) spec.ipFamilyPolicy = before.ipFamilyPolicy;
  if (!spec.ipFamilies?.length && before.ipFamilies) spec.ipFamilies = before.ipFamilies;
}

function keepNodePorts(spec: Loose, before: Loose): void {
  const key = ({ protocol = 'TCP', port }: Loose) => `${protocol}/${port}`;
  const held = new Map<string, number>((before.ports ?? []).map((port: Loose) => [key(port), port.nodePort]));
  const used = new Set<number>((spec.ports ?? []).map(({ nodePort }: Loose) => nodePort));
  spec.ports = spec.ports?.map((port: Loose) => {
    const nodePort = held.get(key(port));
    if (port.nodePort || !nodePort || used.has(nodePort)) return port;
    used.add(nodePort);
    return { ...port, nodePort };
  });
}

const samePorts = (a: Loose[] = [], b: Loose[] = []) =>
  a.length === b.length && a.every((port, index) => (port.nodePort ?? 0) === (b[index].nodePort ?? 0));

function isReachedFromOutside({ type, externalIPs }: Loose): boolean {
  if (type === 'NodePort' || type === 'LoadBalancer') return true;
  return (type === undefined || type === 'ClusterIP') && externalIPs?.length > 0;
}

/** A new service without what it was most likely handed out: addresses, their families, ports of nodes. */
export function serviceAsAsked(service: KubeObject): KubeObject {
  const { clusterIPs: _ips, ipFamilies: _families, ipFamilyPolicy: _policy, healthCheckNodePort: _port, ...spec } = service.spec ?? {};
  if (spec.clusterIP !== 'None') delete spec.clusterIP;
  if (spec.ports) spec.ports = spec.ports.map(({ nodePort: _, ...port }: Loose) => port);
  return { ...service, spec };
}

/** A value that only the old type had a use for goes, unless the client set another one, which validation then refuses. */
function dropForType(spec: Loose, before: Loose): Loose {
  const kept = { ...spec };
  const same = (field: string) => JSON.stringify(kept[field]) === JSON.stringify(before[field]);
  const drop = (field: string) => {
    if (same(field)) delete kept[field];
  };
  if (needsClusterIP(before) && !needsClusterIP(spec)) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy']) drop(field);
  }
  if (needsNodePort(before) && !needsNodePort(spec) && samePorts(spec.ports, before.ports)) {
    kept.ports = spec.ports?.map(({ nodePort: _, ...port }: Loose) => port);
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) drop('healthCheckNodePort');
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (isReachedFromOutside(before) && !isReachedFromOutside(spec)) drop('externalTrafficPolicy');
  return kept;
}
