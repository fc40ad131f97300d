import { parseTime, type KubeObject } from '#libs/kernel';
import { replicasOf } from './fenceposts';
import { sameTemplate } from './template-hash';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** A Deployment's ReplicaSets, told apart by its present template. */
export interface Generations {
  /** The one with the present template; of several the oldest. */
  current: KubeObject | undefined;
  old: KubeObject[];
}

/** Tells the ReplicaSet of the present template from the older ones (upstream `FindNewReplicaSet`, `FindOldReplicaSets`). */
export function generationsOf(deployment: KubeObject, replicaSets: readonly KubeObject[]): Generations {
  const sorted = [...replicaSets].sort(byAge);
  const current = sorted.find((candidate) => sameTemplate(candidate.spec.template, deployment.spec.template));
  return { current, old: sorted.filter((candidate) => candidate !== current) };
}

/** Oldest first; of one second by name. */
export function byAge(a: KubeObject, b: KubeObject): number {
  const difference = (parseTime(a.metadata.creationTimestamp) ?? 0) - (parseTime(b.metadata.creationTimestamp) ?? 0);
  return difference !== 0 ? difference : a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Order for sorting: the largest first, of equal ones the oldest (upstream `ReplicaSetsBySizeOlder`). */
export function bySizeThenOldest(a: KubeObject, b: KubeObject): number {
  return replicasOf(b) - replicasOf(a) || byAge(a, b);
}

/** Order for sorting: the largest first, of equal ones the newest (upstream `ReplicaSetsBySizeNewer`). */
export function bySizeThenNewest(a: KubeObject, b: KubeObject): number {
  return replicasOf(b) - replicasOf(a) || byAge(b, a);
}

/** Order for sorting: the lowest revision first (upstream `ReplicaSetsByRevision`). */
export function byRevision(a: KubeObject, b: KubeObject): number {
  return revisionOf(a) - revisionOf(b) || byAge(a, b);
}

/** The annotation as a number; 0 when it is none. */
export function revisionOf(object: KubeObject): number {
  const text = object.metadata.annotations?.[revisionAnnotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : 0;
}

export function highestRevision(replicaSets: readonly KubeObject[]): number {
  return replicaSets.reduce((highest, replicaSet) => Math.max(highest, revisionOf(replicaSet)), 0);
}

/** Those that are to have pods. */
export function active(replicaSets: readonly (KubeObject | undefined)[]): KubeObject[] {
  return replicaSets.filter((replicaSet): replicaSet is KubeObject => replicaSet !== undefined && replicasOf(replicaSet) > 0);
}

/** How many pods the ReplicaSets are to have together (`spec.replicas`). */
export function wantedPods(replicaSets: readonly KubeObject[]): number {
  return replicaSets.reduce((sum, replicaSet) => sum + replicasOf(replicaSet), 0);
}

type Count = 'replicas' | 'readyReplicas' | 'availableReplicas';

/** The sum of a count in the ReplicaSets' status. */
export function counted(replicaSets: readonly KubeObject[], count: Count): number {
  return replicaSets.reduce((sum, replicaSet) => sum + ((replicaSet.status?.[count] as number | undefined) ?? 0), 0);
}
