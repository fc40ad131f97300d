import type { KubeObject, OwnerReference } from '#libs/kernel';
import { isInRange, ordinalOf, podRevision, replicasOf, startOf } from './identity';
import { podOfSet, type Revisions } from './pod-of-set';
import type { PodSteps } from './pod-steps';
import { isAvailable, isRunningAndReady, minReadySecondsOf } from './statefulset-status';

/** One of the pods that a set asks for, and the one that is there. */
interface Replica {
  ordinal: number;
  pod: KubeObject | undefined;
}

export interface Managing {
  set: KubeObject;
  ref: OwnerReference;
  pods: readonly KubeObject[];
  revisions: Revisions;
  now: number;
  /** The last look ended with a refusal: one thing is tried. */
  hasFailed: boolean;
}

/**
 * Creates, deletes and updates pods of a set (upstream `updateStatefulSet`): by default one after the other by their ordinals, each only
 * once all before it are available; with `podManagementPolicy: Parallel` at once.
 * @returns pods that go because they are of an older revision: they count as current no more
 */
export function managePods(steps: PodSteps, managing: Managing): number {
  const { set, pods, now } = managing;
  const members = new Map<number, KubeObject>();
  const condemned: Replica[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (isInRange(set, ordinal)) members.set(ordinal, pod);
    else condemned.push({ ordinal, pod });
  }
  condemned.sort((a, b) => b.ordinal - a.ordinal);
  const replicas = Array.from({ length: replicasOf(set) }, (_, index): Replica => {
    const ordinal = startOf(set) + index;
    return { ordinal, pod: members.get(ordinal) };
  });
  const isUnavailable = ({ pod }: Replica): boolean =>
    !pod || pod.metadata.deletionTimestamp !== undefined || !isAvailable(pod, minReadySecondsOf(set), now);
  const firstUnavailable = replicas.find(isUnavailable) ?? condemned.findLast(isUnavailable);
  const isMonotonic = set.spec?.podManagementPolicy !== 'Parallel';
  for (const replica of replicas) {
    const mustWait = keep(steps, managing, replica, isMonotonic);
    if (mustWait && (isMonotonic || (managing.hasFailed && steps.steps.length > 0))) return 0;
  }
  for (const { ordinal, pod } of condemned) steps.own(pod as KubeObject, ordinal);
  for (const replica of condemned) {
    if (dismiss(steps, managing, replica, isMonotonic ? (firstUnavailable ?? 'nobody') : undefined) && isMonotonic) return 0;
  }
  return update(steps, managing, replicas, isUnavailable);
}

/** Lets one of the pods that are asked for be there. Gives whether those behind it have to wait. */
function keep(steps: PodSteps, { set, ref, revisions, now }: Managing, { ordinal, pod }: Replica, isMonotonic: boolean): boolean {
  if (!pod) {
    const made = podOfSet(set, ref, ordinal, revisions);
    return !steps.create(made, ordinal) || isMonotonic;
  }
  const isGoing = pod.metadata.deletionTimestamp !== undefined;
  if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') {
    if (!isGoing) steps.delete(pod);
    return true;
  }
  if (pod.status?.phase === 'Pending') {
    steps.createClaims(ordinal);
    steps.own(pod, ordinal);
  }
  if (isMonotonic && (isGoing || !isRunningAndReady(pod) || !isAvailable(pod, minReadySecondsOf(set), now))) return true;
  if (pod.status?.phase !== 'Pending') steps.conform(pod, ordinal);
  return false;
}

/** Lets a pod go that is asked for no more. Gives whether others have to wait. */
function dismiss(steps: PodSteps, { set, now }: Managing, replica: Replica, firstUnavailable: Replica | 'nobody' | undefined): boolean {
  const pod = replica.pod as KubeObject;
  if (pod.metadata.deletionTimestamp !== undefined) return true;
  const isWell = isRunningAndReady(pod) && isAvailable(pod, minReadySecondsOf(set), now);
  if (firstUnavailable !== undefined && !isWell && replica !== firstUnavailable) return true;
  steps.delete(pod);
  return true;
}

/** Lets pods of older revisions go, the highest ordinal first. */
function update(steps: PodSteps, managing: Managing, replicas: readonly Replica[], isUnavailable: (replica: Replica) => boolean): number {
  const { set, ref, revisions } = managing;
  const { type, rollingUpdate } = (set.spec?.updateStrategy ?? {}) as { type?: string; rollingUpdate?: { partition?: number } };
  if (type === 'OnDelete') return 0;
  const revisionIn = ({ ordinal, pod }: Replica): string | undefined => podRevision(pod ?? podOfSet(set, ref, ordinal, revisions));
  const isOutdated = (replica: Replica): boolean =>
    revisionIn(replica) !== revisions.update.metadata.name && replica.pod?.metadata.deletionTimestamp === undefined;
  const partition = rollingUpdate?.partition ?? 0;
  const downwards = replicas.slice(partition).toReversed();
  for (const replica of downwards) {
    if (replica.pod && isOutdated(replica)) {
      steps.delete(replica.pod);
      return 1;
    }
    if (isUnavailable(replica)) return 0;
  }
  return 0;
}
