import type { KubeObject } from '#libs/kernel';
import { count, type ResourceList } from '../resources';

interface ServiceSpec {
  type?: string;
  ports?: { nodePort?: number }[];
  allocateLoadBalancerNodePorts?: boolean;
}

/** Ports of nodes are counted by what is asked for: they may not have been handed out yet. */
export function serviceDemand({ spec }: KubeObject): ResourceList {
  const { type, ports = [], allocateLoadBalancerNodePorts } = (spec ?? {}) as ServiceSpec;
  const isBalanced = type === 'LoadBalancer';
  const given = isBalanced && allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports;
  return new Map([
    ['count/services', count(1)],
    ['services', count(1)],
    ['services.loadbalancers', count(isBalanced ? 1 : 0)],
    ['services.nodeports', count(isBalanced || type === 'NodePort' ? given.length : 0)],
  ]);
}
