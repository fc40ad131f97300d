import type { KubeObject } from '#libs/kernel';
import { listOf, type Loose } from '../../../validation/values';

/** Whether a balancer has to be told which nodes have pods of the Service. */
export function needsHealthCheckPort(spec: Loose): boolean {
  return spec?.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

/** A new Service has no status; what it is handed out it has by now. */
export function prepareNewService(service: KubeObject): KubeObject {
  return { ...service, status: { loadBalancer: {} } };
}

export function prepareServiceUpdate(updated: KubeObject, old: KubeObject): KubeObject {
  const spec = dropForType(updated.spec ?? {}, old.spec ?? {});
  const status: Loose = spec.type === 'LoadBalancer' ? old.status : { ...old.status, loadBalancer: {} };
  return { ...updated, spec, status };
}

function isReachedFromOutside({ type, externalIPs }: Loose): boolean {
  return isReachedAtNodes({ type }) || (type === 'ClusterIP' && externalIPs?.length > 0);
}

function isReachedAtNodes({ type }: Loose): boolean {
  return type === 'NodePort' || type === 'LoadBalancer';
}

/** No port of nodes is new. */
function keepsNodePorts(spec: Loose, before: Loose): boolean {
  const held = new Set<number>(listOf(before.ports).map(({ nodePort }) => nodePort));
  return listOf(spec.ports).every(({ nodePort }) => !nodePort || held.has(nodePort));
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
  const drop = (...fields: string[]) => {
    if (fields.every(same)) for (const field of fields) delete kept[field];
  };
  if (before.type !== 'ExternalName' && spec.type === 'ExternalName') {
    drop('clusterIP', 'clusterIPs');
    drop('ipFamilies');
    drop('ipFamilyPolicy');
  }
  if (isReachedAtNodes(before) && !isReachedAtNodes(spec) && keepsNodePorts(spec, before)) {
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
