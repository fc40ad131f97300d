import type { ClusterState } from '#libs/cluster-state';
import type { KubeObject, ObjectKey } from '#libs/kernel';

/** The pods that are bound to a node, in the order of their keys: what is done about them then does not hang on which was bound first. */
export function podsOnNode(cluster: ClusterState, node: string): [key: ObjectKey, pod: KubeObject][] {
  return [...cluster.indices.podsOnNode(node)].sort(([a], [b]) => (a < b ? -1 : 1));
}
