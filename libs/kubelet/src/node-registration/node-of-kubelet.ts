import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';

/** `none`: nobody plays kubelet for this node. */
export const kubeletAnnotation = 'kubereel.dev/kubelet';

/** A simulated kubelet runs the node, unless its annotation says that none does. */
export function hasKubelet(node: KubeObject): boolean {
  return node.metadata.annotations?.[kubeletAnnotation] !== 'none';
}

export function internalIP(node: KubeObject): string | undefined {
  const addresses = (node.status?.addresses ?? []) as { type: string; address: string }[];
  return addresses.find((address) => address.type === 'InternalIP')?.address;
}

/** Nothing is heard of the node's kubelet: it was stopped, or its machine went down. */
export function isSilent(cluster: ClusterState, node: string): boolean {
  return cluster.decisions.nodes.of(node).silentSince !== undefined;
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
