import { isReady, isTerminal } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';
import { readySince } from '../replicaset/pod-state';

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';
export const failureCountAnnotation = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredFailureCountAnnotation = 'batch.kubernetes.io/job-index-ignored-failure-count';

export function isTracked(pod: KubeObject): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) === true;
}

/** Asked to go, and has not ended yet. */
export function isTerminating(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isTerminal(pod);
}

export function isIndexed(job: KubeObject): boolean {
  return job.spec?.completionMode === 'Indexed';
}

export function isSuspended(job: KubeObject): boolean {
  return job.spec?.suspend === true;
}

/** Pods are replaced when they have ended only, not as soon as they are asked to go. */
export function replacesFailedOnly({ spec }: KubeObject): boolean {
  return spec?.podReplacementPolicy === 'Failed' || spec?.podFailurePolicy !== undefined;
}

/** A pod that is going counts as failed, since it may never come to say so itself; unless only failed ones are replaced. */
export function isPodFailed(pod: KubeObject, job: KubeObject): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !replacesFailedOnly(job) && pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Succeeded';
}

/** The pod's completion index; undefined: it has none. */
export function indexOf(pod: KubeObject): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}

/** The pod's index, if it is one that the Job still has. */
export function validIndexOf(pod: KubeObject, job: KubeObject): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < completionsOf(job) ? index : undefined;
}

/** Of an Indexed Job. */
export function completionsOf(job: KubeObject): number {
  return job.spec?.completions as number;
}

export function failureCount(pod: KubeObject): number {
  return numberIn(pod, failureCountAnnotation);
}

export function ignoredFailureCount(pod: KubeObject): number {
  return numberIn(pod, ignoredFailureCountAnnotation);
}

function numberIn(pod: KubeObject, annotation: string): number {
  const text = pod.metadata.annotations?.[annotation];
  const value = text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : 0;
  return value <= 2_147_483_647 ? value : 0;
}

const phaseOrder: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

/** The order in which pods go when there are too many (upstream `ActivePods`): those that have got least far first. */
export function byProgress(a: KubeObject, b: KubeObject): number {
  return (
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    (phaseOrder[a.status?.phase] ?? 0) - (phaseOrder[b.status?.phase] ?? 0) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    (isReady(a) ? (readySince(b) ?? Infinity) - (readySince(a) ?? Infinity) || 0 : 0) ||
    restarts(b) - restarts(a) ||
    compareText(b.metadata.creationTimestamp, a.metadata.creationTimestamp)
  );
}

function restarts({ status }: KubeObject): number {
  return Math.max(0, ...((status?.containerStatuses ?? []) as KubeObject[]).map(({ restartCount }) => (restartCount as number) ?? 0));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Active pods to remove: of an Indexed Job those without an index that it has, and all but the furthest of each index; then as many more as
 * there are too many.
 */
export function podsToRemove(job: KubeObject, active: readonly KubeObject[], atLeast: number): KubeObject[] {
  const remove: KubeObject[] = [];
  const left: KubeObject[] = [];
  if (!isIndexed(job)) left.push(...active);
  else {
    const byIndex = new Map<number | undefined, KubeObject[]>();
    for (const pod of active) {
      const index = validIndexOf(pod, job);
      byIndex.set(index, [...(byIndex.get(index) ?? []), pod]);
    }
    for (const [index, pods] of byIndex) {
      const inOrder = [...pods].sort(byProgress);
      if (index !== undefined) left.push(inOrder.pop() as KubeObject);
      remove.push(...inOrder);
    }
  }
  if (remove.length < atLeast) remove.push(...left.sort(byProgress).slice(0, atLeast - remove.length));
  return remove;
}
