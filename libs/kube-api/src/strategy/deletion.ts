import type { KubeObject, ObjectMeta } from '#libs/kernel';
import { durationMs, formatTime, parseTime } from '#libs/kernel';
import type { Dependants } from '../kinds/behaviour';
import type { ResourceKind } from '../kinds/resource-kind';
import type { Failure } from '../status';
import { resourceVersionPreconditionFailed, uidPreconditionFailed } from '../status';

export interface DeletionOptions {
  gracePeriodSeconds?: number;
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  orphanDependents?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** What a delete makes of an object. */
export interface Deletion {
  /**
   * `unchanged`: a deletion is under way already and this one adds nothing · `mark`: the object stays, marked ·
   * `remove`: it is gone.
   */
  readonly outcome: 'unchanged' | 'mark' | 'remove';
  /** The object as marked; for `remove` as the last write before it went (`marked` says whether there is one). */
  readonly object: KubeObject;
  /** A MODIFIED frame comes before the DELETED one: a watch shows every pod deletion as two changes. */
  readonly marked: boolean;
}

/** 409 where the object is not the one meant. */
export function checkPreconditions(kind: string, object: KubeObject, preconditions: DeletionOptions['preconditions']): Failure | undefined {
  const { uid, resourceVersion = '' } = object.metadata;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    return uidPreconditionFailed(kind, object.metadata.name, preconditions.uid, uid);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return resourceVersionPreconditionFailed(kind, object.metadata.name, preconditions.resourceVersion, resourceVersion);
  }
  return undefined;
}

/**
 * The grace a pod is given, in seconds: what is asked, else its own; none when no kubelet runs it or it has ended. A negative
 * one counts as one second.
 */
export function podGracePeriod(pod: KubeObject, asked: number | undefined): number {
  const period = asked ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
  const idle = !pod.spec?.nodeName || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return idle ? 0 : period < 0 ? 1 : period;
}

type Graceful = { state: 'pending' | 'none' } | { state: 'marked'; metadata: ObjectMeta; grace: number };

/** Upstream `rest.BeforeDelete` for a kind that is deleted gracefully. */
export function gracefulDeletion(pod: KubeObject, { gracePeriodSeconds }: DeletionOptions, now: number): Graceful {
  const { metadata } = pod;
  const asked = gracePeriodSeconds !== undefined && gracePeriodSeconds < 0 ? 1 : gracePeriodSeconds;
  if (metadata.deletionTimestamp) {
    const current = metadata.deletionGracePeriodSeconds ?? 0;
    if (current === 0) return { state: 'none' };
    if (asked === undefined || asked >= current) return { state: 'pending' };
    return shortened(metadata, current, asked, now);
  }
  const grace = podGracePeriod(pod, asked);
  const marked: ObjectMeta = { ...metadata, deletionTimestamp: formatTime(now + durationMs(grace)), deletionGracePeriodSeconds: grace };
  return { state: 'marked', metadata: raised(marked), grace };
}

/** A later delete may only shorten the grace, counted from the first request; a moment already past becomes now. */
function shortened(metadata: ObjectMeta, current: number, asked: number, now: number): Graceful {
  const requested = (parseTime(metadata.deletionTimestamp) ?? now) - durationMs(current);
  let end = requested + durationMs(asked);
  let grace = asked;
  if (end < now) {
    end = now;
    if (grace > 0) grace = 1;
  }
  return {
    state: 'marked',
    metadata: { ...metadata, deletionTimestamp: formatTime(end), deletionGracePeriodSeconds: grace },
    grace,
  };
}

function raised(metadata: ObjectMeta): ObjectMeta {
  return metadata.generation ? { ...metadata, generation: metadata.generation + 1 } : metadata;
}

/** The finalizers that the wished treatment of dependants asks for, in upstream's order. */
export function deletionFinalizers(dependants: Dependants, finalizers: readonly string[], options: DeletionOptions): string[] {
  if (dependants === 'ignored') return [...finalizers];
  const { orphanDependents, propagationPolicy } = options;
  const has = (name: string) => finalizers.includes(name);
  let orphan = has('orphan') ? true : has('foregroundDeletion') ? false : dependants === 'orphaned';
  let foreground = has('foregroundDeletion') && !(has('orphan') && finalizers.indexOf('orphan') < finalizers.indexOf('foregroundDeletion'));
  if (orphanDependents !== undefined) {
    orphan = orphanDependents;
    foreground = false;
  } else if (propagationPolicy !== undefined) {
    orphan = propagationPolicy === 'Orphan';
    foreground = propagationPolicy === 'Foreground';
  }
  const others = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const wished = [...others, ...(orphan ? ['orphan'] : []), ...(foreground ? ['foregroundDeletion'] : [])];
  const same = wished.length === new Set(finalizers).size && wished.every(has);
  return same ? [...finalizers] : wished;
}

/** The whole rule of deletion (upstream's generic store): grace, finalizers, and when the object goes at once. */
export function beginDeletion(kind: ResourceKind, object: KubeObject, options: DeletionOptions, now: number): Deletion {
  const own = kind.strategy.beginDeletion?.(object, options, now);
  if (own) return own;
  let { metadata } = object;
  let graceful: Graceful = { state: 'none' };
  if (kind.gracefulDeletion) {
    graceful = gracefulDeletion(object, options, now);
    if (graceful.state === 'pending') return { outcome: 'unchanged', object, marked: false };
    if (graceful.state === 'marked') metadata = graceful.metadata;
  }
  const finalizers = deletionFinalizers(kind.dependants, metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata = { ...metadata, finalizers };
  else if (metadata.finalizers) metadata = withoutFinalizers(metadata);
  if (graceful.state === 'marked') {
    const marked = { ...object, metadata };
    const stays = finalizers.length > 0 || graceful.grace > 0;
    return { outcome: stays ? 'mark' : 'remove', object: marked, marked: true };
  }
  if (finalizers.length === 0) return { outcome: 'remove', object: { ...object, metadata }, marked: false };
  const marked = { ...object, metadata: markedAsDeleting(metadata, now) };
  const same = JSON.stringify(marked.metadata) === JSON.stringify(object.metadata);
  return { outcome: same ? 'unchanged' : 'mark', object: same ? object : marked, marked: !same };
}

export function withoutFinalizers(metadata: ObjectMeta): ObjectMeta {
  const { finalizers: _, ...rest } = metadata;
  return rest;
}

function markedAsDeleting(metadata: ObjectMeta, now: number): ObjectMeta {
  const first = metadata.deletionGracePeriodSeconds === undefined;
  const at = parseTime(metadata.deletionTimestamp);
  const marked: ObjectMeta = { ...metadata, deletionGracePeriodSeconds: 0 };
  if (at === undefined || at > now) marked.deletionTimestamp = formatTime(now);
  return first ? raised(marked) : marked;
}

/** Whether an update is the last thing that held an object which is to go: its finalizers are empty and no grace runs. */
export function removedByUpdate({ strategy }: ResourceKind, updated: KubeObject, old: KubeObject): boolean {
  if ((updated.metadata.finalizers?.length ?? 0) > 0 || !old.metadata.deletionTimestamp) return false;
  if (strategy.isHeld?.(updated)) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
