import type { ClusterState } from './cluster-state';

/** A pod is being ended to make room: until it is over its kubelet takes nobody, for it goes through the pods one by one. */
export function isMakingRoom({ indices, decisions }: Pick<ClusterState, 'indices' | 'decisions'>, node: string): boolean {
  const kubeletSince = decisions.nodes.of(node).kubeletStartedAt ?? 0;
  for (const { metadata } of indices.podsOnNode(node).values()) {
    const order = decisions.podMarks.get(metadata.uid)?.order;
    if (order?.preemptor !== undefined && order.at >= kubeletSince) return true;
  }
  return false;
}
