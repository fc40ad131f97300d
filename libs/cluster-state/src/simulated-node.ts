import type { KubeObject } from '#libs/kernel';
import type { ClusterState } from './cluster-state';

/** `none`: nobody plays kubelet for this node. */
export const kubeletAnnotation = 'kubereel.dev/kubelet';

/** How often a kubelet renews the Lease of its node, ms (upstream: a quarter of what the Lease lasts). */
export const heartbeatMs = 10_000;

/** A simulated kubelet runs the node, unless its annotation says that none does. */
export function hasKubelet(node: KubeObject): boolean {
  return node.metadata.annotations?.[kubeletAnnotation] !== 'none';
}

/** Nothing is heard of the node's kubelet: it was stopped, or its machine went down. */
export function isSilent(cluster: ClusterState, node: string): boolean {
  return cluster.decisions.nodes.of(node).silentSince !== undefined;
}

/**
 * A moment that a kubelet comes to every 10 s, from its start on: its heartbeats, and its looks at the node's status. The last one up to a time, ms.
 * @param start when the kubelet began, ms
 */
export function lastTick(start: number, time: number): number {
  return time <= start ? start : start + Math.floor((time - start) / heartbeatMs) * heartbeatMs;
}

/** When the kubelet of the node began, ms. @param createdAt of the Node, ms */
export function kubeletStart(cluster: ClusterState, node: string, createdAt: number): number {
  return cluster.decisions.nodes.of(node).kubeletStartedAt ?? createdAt;
}
