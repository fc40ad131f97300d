import { isStaticPod, isTerminal, type ClusterState } from '#libs/cluster-state';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { isAccepted } from '../pod-lifecycle/pod-types';
import { allocatedPod } from '../pod-lifecycle/runtime/resize';

/**
 * The other pods on a node that count: taken, and not over, each with what its kubelet has set aside for it. A static pod was taken before it had a mirror.
 * @param assumed pods of the node that have just been taken, or given what they ask for, though the log does not show it yet
 */
export function takenPods(cluster: ClusterState, pod: KubeObject, node: KubeObject, assumed: Iterable<ObjectKey>): Iterable<KubeObject> {
  const onNode = cluster.indices.podsOnNode(node.metadata.name);
  const { podMarks } = cluster.decisions;
  const taken = new Map<string, KubeObject>();
  for (const [key, other] of onNode) {
    if (isAccepted(other) || (isStaticPod(other) && !isTerminal(other)))
      taken.set(key, allocatedPod(other, podMarks.get(other.metadata.uid)?.resize));
  }
  for (const key of assumed) {
    const other = onNode.get(key);
    if (other && !isTerminal(other)) taken.set(key, other);
  }
  taken.delete(objectKey(pod.metadata.namespace, pod.metadata.name));
  return taken.values();
}
