import { conditionOf, type ClusterState, type ObjectChange } from '#libs/cluster-state';
import type { KubeObject, ObjectKey } from '#libs/kernel';

/** A pod whose resize waits for what others on its node have. */
export function awaitsResources(pod: KubeObject): boolean {
  return conditionOf(pod, 'PodResizePending')?.reason === 'Deferred';
}

/** Something of a node may have become free: a pod has left it, or has other resources set aside, or is through with that. */
export function mayFree({ type, before, object }: ObjectChange): boolean {
  if (type === 'DELETED') return true;
  return before !== undefined && isInProgress(before) !== isInProgress(object);
}

function isInProgress(pod: KubeObject): boolean {
  return conditionOf(pod, 'PodResizeInProgress') !== undefined;
}

/** Those of a node in the order in which they are tried: by priority, guaranteed ones first, then by how long they wait. */
export function inTurn(waiting: Iterable<ObjectKey>, node: string, cluster: ClusterState): ObjectKey[] {
  const pods: [key: ObjectKey, pod: KubeObject][] = [];
  for (const key of waiting) {
    const pod = cluster.byKey('pods', key);
    if (pod?.spec?.nodeName === node) pods.push([key, pod]);
  }
  const rank = ({ status }: KubeObject): number => (status?.qosClass === 'Guaranteed' ? 0 : 1);
  const since = (pod: KubeObject): string => conditionOf(pod, 'PodResizePending')?.lastTransitionTime ?? '';
  const priority = ({ spec }: KubeObject): number => (spec?.priority as number | undefined) ?? 0;
  pods.sort(([, a], [, b]) => priority(b) - priority(a) || rank(a) - rank(b) || (since(a) < since(b) ? -1 : since(a) > since(b) ? 1 : 0));
  return pods.map(([key]) => key);
}
