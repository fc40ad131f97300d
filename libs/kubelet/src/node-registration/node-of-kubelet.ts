import { hasKubelet, isSilent, type ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';

export { hasKubelet, isSilent, kubeletAnnotation } from '#libs/cluster-state';

export function internalIP(node: KubeObject): string | undefined {
  const addresses = (node.status?.addresses ?? []) as { type: string; address: string }[];
  return addresses.find((address) => address.type === 'InternalIP')?.address;
}

/** The node when its simulated kubelet is registered and at work. */
export function operatedNode(cluster: ClusterState, name: string): KubeObject | undefined {
  const node = cluster.get('nodes', undefined, name);
  return node && isRegistered(node) && !isSilent(cluster, name) ? node : undefined;
}

/** The kubelet has written the node's status. */
export function isRegistered(node: KubeObject): boolean {
  return hasKubelet(node) && internalIP(node) !== undefined && Boolean(node.status?.allocatable);
}
