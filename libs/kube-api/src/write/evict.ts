import { fact, type Fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { notFound, type Status } from '../status';
import { appendTo, foldFacts } from './changes';
import { prepareDelete } from './delete';
import type { EvictRequest, Prepared, StateView, WriteContext } from './request';

/**
 * An eviction: first the verdict of the disruption budgets (a review), then condition DisruptionTarget and the deletion
 * with the eviction's own options (upstream `EvictionREST.Create`).
 */
export function prepareEvict(state: StateView, request: EvictRequest, context: WriteContext): Prepared {
  const { target, deleteOptions = {} } = request;
  const pod = state.get('pods', target.namespace, target.name);
  if (!pod) return { kind: 'refused', status: notFound('pods', target.name) };
  const dryRun = Boolean(request.options?.dryRun ?? deleteOptions.dryRun);
  if (!context.review) {
    const data = {
      namespace: target.namespace ?? '',
      pod: target.name,
      options: deleteOptions as unknown as JsonObject,
      ...(dryRun ? { dryRun } : {}),
    };
    return { kind: 'review', stream: 'eviction-reviews', request: fact('EvictionRequested', data), reviewer: 'pdb-controller' };
  }
  if (context.review.type === 'EvictionRefused') {
    return { kind: 'refused', status: context.review.data.status as unknown as Status };
  }
  return granted(state, request, context, dryRun);
}

function granted(state: StateView, request: EvictRequest, context: WriteContext, dryRun: boolean): Prepared {
  const { target } = request;
  const pod = state.get('pods', target.namespace, target.name);
  const { uid, resourceVersion } = (context.review?.data ?? {}) as { uid?: string; resourceVersion?: string };
  if (!pod || (uid && pod.metadata.uid !== uid)) return { kind: 'refused', status: notFound('pods', target.name) };
  const preconditions = { ...(resourceVersion ? { resourceVersion } : {}), ...request.deleteOptions?.preconditions };
  const options = { ...request.deleteOptions, preconditions, dryRun };
  const deletion = prepareDelete(state, { verb: 'delete', target, options }, context);
  if (deletion.kind !== 'append') return deletion;
  const marks = disruptionMark(pod.metadata.deletionTimestamp, context);
  const marked = foldFacts(pod, marks, context.now) ?? pod;
  if (marks.length === 0) return { ...deletion, created: true };
  const object = { ...deletion.object, status: marked.status };
  return appendTo(state, target, [marks, ...deletion.appends], object, { created: true });
}

function disruptionMark(deletionTimestamp: string | undefined, context: WriteContext): Fact[] {
  if (deletionTimestamp || context.review === undefined) return [];
  return [fact('PodDisruptionTargeted', { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' })];
}
