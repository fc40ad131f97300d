import { fact } from '#libs/events';
import type { JsonObject } from '#libs/kernel';
import { notFound, tooManyRequests, type Status } from '../status';
import { prepareDelete } from './delete';
import { prepareDisrupt } from './disrupt';
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
  // Judged as it was then: a pod that has changed meanwhile is to be judged again, and the client told to come back.
  if (resourceVersion && resourceVersion !== pod.metadata.resourceVersion && !request.deleteOptions?.preconditions?.resourceVersion) {
    return { kind: 'refused', status: judgedAgain() };
  }
  const { preconditions } = request.deleteOptions ?? {};
  const deleteOptions = { ...request.deleteOptions, preconditions, dryRun };
  if (dryRun) return prepareDelete(state, { verb: 'delete', target, options: deleteOptions }, context);
  const mark = fact('PodDisruptionTargeted', { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' });
  return prepareDisrupt(state, { verb: 'disrupt', target, uid: pod.metadata.uid, mark, deleteOptions }, context);
}

const retryAfterSeconds = 10;

function judgedAgain(): Status {
  return tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", [], retryAfterSeconds);
}
