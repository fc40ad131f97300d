import { conditionOf, isReady, isTerminal } from '#libs/cluster-state';
import { parseTime, type KubeObject } from '#libs/kernel';

/** Counts for its owner: neither ended nor going. */
export function isActive(pod: KubeObject): boolean {
  return !isTerminal(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Since when the pod has been ready, ms since the epoch; undefined when it is not, or does not say. */
export function readySince(pod: KubeObject): number | undefined {
  const condition = conditionOf(pod, 'Ready');
  return condition?.status === 'True' ? parseTime(condition.lastTransitionTime) : undefined;
}

/** When a ready pod becomes (or became) available, ms since the epoch; undefined when it is not ready or does not say since when. */
export function availableAt(pod: KubeObject, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
}
