import { fact, type Fact } from '#libs/events';
import { formatTime, parseTime, type KubeObject } from '#libs/kernel';
import { kindOf, type ResourceKind } from '../kinds';
import * as statuses from '../status/catalogue';
import type { Status } from '../status';
import { appendTo, foldFacts } from './changes';
import type { DeleteOptions, DeleteRequest, Prepared, StateView, Target, WriteContext } from './request';

/** Namespaces that upstream's NamespaceLifecycle admission never lets go. */
const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/**
 * DELETE, as upstream's generic registry does it: preconditions, propagation finalizers, grace (pods), finalizers. The last
 * word on whether an object is gone is spoken here and in `afterUpdate`, nowhere else.
 */
export function prepareDelete(state: StateView, request: DeleteRequest, context: WriteContext): Prepared {
  const { target, options = {} } = request;
  const kind = kindOf(target.resource);
  const object = state.get(target.resource, target.namespace, target.name);
  if (target.resource === 'namespaces' && immortalNamespaces.has(target.name)) {
    return refused(statuses.forbiddenRequest(kind.groupResource, target.name, 'this namespace may not be deleted'));
  }
  if (!object) return refused(statuses.notFound(kind.groupResource, target.name));
  const failed = preconditionFailure(kind, object, options);
  if (failed) return refused(failed);
  const deletion = deletionOf(kind, object, options, context.now);
  if (deletion.appends.length === 0) return { kind: 'unchanged', object, warnings: [] };
  const last = deletion.remains ?? object;
  if (options.dryRun) return { kind: 'dry-run', object: last, created: false, warnings: [] };
  return appendTo(state, target, deletion.appends, last);
}

function preconditionFailure(kind: ResourceKind, object: KubeObject, { preconditions }: DeleteOptions): Status | undefined {
  if (!preconditions) return undefined;
  const { uid, resourceVersion } = preconditions;
  const { metadata } = object;
  const name = metadata.name;
  if (uid !== undefined && uid !== metadata.uid) return statuses.uidPreconditionFailed(kind.kind, name, uid, metadata.uid);
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    return statuses.resourceVersionPreconditionFailed(kind.kind, name, resourceVersion, metadata.resourceVersion ?? '');
  }
  return undefined;
}

interface Deletion {
  /** Empty: nothing changes. */
  appends: Fact[][];
  /** The object as the answer shows it. */
  remains: KubeObject | undefined;
}

function deletionOf(kind: ResourceKind, object: KubeObject, options: DeleteOptions, now: number): Deletion {
  if (kind.gracefulDeletion) return gracefulDeletion(object, options, now);
  const finalizers = finalizersAfter(object, options);
  const changed = finalizerFacts(object, finalizers);
  const stays = finalizers.length > 0 || (kind.groupResource === 'namespaces' && (object.spec?.finalizers?.length ?? 0) > 0);
  if (!stays) return { appends: [[fact('Deleted', {})]], remains: object };
  if (object.metadata.deletionTimestamp) {
    return changed.length === 0 ? { appends: [], remains: object } : { appends: [changed], remains: foldFacts(object, changed, now) };
  }
  const facts = [...changed, deletionRequested(object, 0, now, kind.managesGeneration), ...namespacePhase(kind, object)];
  return { appends: [facts], remains: foldFacts(object, facts, now) };
}

function namespacePhase(kind: ResourceKind, object: KubeObject): Fact[] {
  if (kind.groupResource !== 'namespaces' || object.status?.phase === 'Terminating') return [];
  return [fact('StatusUpdated', { changes: [{ p: ['status', 'phase'], v: 'Terminating' }] })];
}

/** The wait before a pod may be gone, in seconds (upstream pod strategy `CheckGracefulDelete`). */
function gracePeriodOf(pod: KubeObject, options: DeleteOptions): number {
  let grace = options.gracePeriodSeconds ?? pod.metadata.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 30;
  const phase = pod.status?.phase;
  if (!pod.spec?.nodeName || phase === 'Succeeded' || phase === 'Failed') grace = 0;
  return grace < 0 ? 1 : grace;
}

function gracefulDeletion(pod: KubeObject, options: DeleteOptions, now: number): Deletion {
  const { metadata } = pod;
  const finalizers = finalizersAfter(pod, options);
  const changed = finalizerFacts(pod, finalizers);
  const grace = gracePeriodOf(pod, options);
  if (metadata.deletionTimestamp && !(grace < (metadata.deletionGracePeriodSeconds ?? 0))) {
    const over = grace === 0 && metadata.deletionGracePeriodSeconds === 0 && finalizers.length === 0;
    if (over) return { appends: [[fact('Deleted', {})]], remains: pod };
    return changed.length === 0 ? { appends: [], remains: pod } : { appends: [changed], remains: foldFacts(pod, changed, now) };
  }
  const facts = [...changed, metadata.deletionTimestamp ? shortened(pod, grace, now) : deletionRequested(pod, grace, now, true)];
  const remains = foldFacts(pod, facts, now);
  const gone = grace === 0 && finalizers.length === 0;
  return { appends: gone ? [facts, [fact('Deleted', {})]] : [facts], remains };
}

/** A later delete with a shorter grace counts from the first request; what is over already leaves one second. */
function shortened(pod: KubeObject, grace: number, now: number): Fact {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
  const requested = (parseTime(deletionTimestamp) ?? now) - deletionGracePeriodSeconds * 1000;
  const until = requested + grace * 1000;
  const past = until < now;
  const gracePeriodSeconds = past && grace !== 0 ? 1 : grace;
  return fact('DeletionRequested', { deletionTimestamp: formatTime(past ? now : until), gracePeriodSeconds });
}

function deletionRequested(object: KubeObject, grace: number, now: number, raisesGeneration: boolean): Fact {
  const { generation } = object.metadata;
  return fact('DeletionRequested', {
    deletionTimestamp: formatTime(now + grace * 1000),
    gracePeriodSeconds: grace,
    ...(raisesGeneration && generation ? { generation: generation + 1 } : {}),
  });
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

/** Propagation is asked of the garbage collector through finalizers (upstream `deletionFinalizersForGarbageCollection`). */
function finalizersAfter(object: KubeObject, { propagationPolicy }: DeleteOptions): string[] {
  const finalizers = object.metadata.finalizers ?? [];
  if (propagationPolicy === undefined) return finalizers;
  const wanted = propagationPolicy === 'Orphan' ? orphan : propagationPolicy === 'Foreground' ? foreground : undefined;
  const kept = finalizers.filter((finalizer) => finalizer === wanted || (finalizer !== orphan && finalizer !== foreground));
  return wanted && !kept.includes(wanted) ? [...kept, wanted] : kept;
}

function finalizerFacts(object: KubeObject, finalizers: string[]): Fact[] {
  const before = object.metadata.finalizers ?? [];
  if (before.length === finalizers.length && before.every((finalizer, index) => finalizer === finalizers[index])) return [];
  const change = finalizers.length === 0 ? { p: ['metadata', 'finalizers'] } : { p: ['metadata', 'finalizers'], v: finalizers };
  return [fact('Updated', { changes: [change] })];
}

/** Whether an update leaves an object whose deletion nothing holds up any more: then it is the deletion. */
export function endsWithUpdate(target: Target, after: KubeObject): boolean {
  const { metadata } = after;
  if (!metadata.deletionTimestamp || (metadata.finalizers?.length ?? 0) > 0) return false;
  if (target.resource === 'namespaces' && (after.spec?.finalizers?.length ?? 0) > 0) return false;
  return metadata.deletionGracePeriodSeconds === undefined || metadata.deletionGracePeriodSeconds === 0;
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
