import type { KubeObject } from '#libs/kernel';
import { maxSurge, replicasOf } from './fenceposts';
import { revisionAnnotation } from './replicasets-of';

export const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';

/** Annotations of a Deployment that its ReplicaSets do not get. */
const ownAnnotations = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  'deprecated.deployment.rollback.to',
]);

/** Characters of history kept (upstream maxRevHistoryLengthInChars). */
const historyMax = 2_000;

type Annotations = Record<string, string>;

/** How many pods the Deployment wanted, and might have had, when it last sized this ReplicaSet: scaling is told from rollouts by it. */
export function sizeAnnotations(deployment: KubeObject): Annotations {
  const replicas = replicasOf(deployment);
  return { [desiredReplicasAnnotation]: String(replicas), [maxReplicasAnnotation]: String(replicas + maxSurge(deployment)) };
}

/** A whole number in an annotation. */
export function numberIn(object: KubeObject, annotation: string): number | undefined {
  const text = object.metadata.annotations?.[annotation];
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/**
 * What the annotations of the present template's ReplicaSet are to be: the Deployment's own, and its revision, which only grows. A
 * ReplicaSet that is rolled back to keeps the revisions it had.
 */
export function currentAnnotations(deployment: KubeObject, replicaSet: KubeObject | undefined, revision: number): Annotations {
  const before = replicaSet?.metadata.annotations ?? {};
  const result: Annotations = { ...before };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) if (!ownAnnotations.has(key)) result[key] = value;
  const present = before[revisionAnnotation];
  if (present && !/^\d+$/.test(present)) return result;
  if (Number(present ?? 0) >= revision) return result;
  result[revisionAnnotation] = String(revision);
  if (present !== undefined) result[historyAnnotation] = history(before[historyAnnotation] ?? '', present);
  return result;
}

function history(before: string, revision: string): string {
  const revisions = before === '' ? [revision] : [...before.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > historyMax) revisions.shift();
  return revisions.join(',');
}
