import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { admissionSteps, evictionReview, judge, type Admission, type ReviewAnswer } from '../admission';
import { kindsOf } from '../kinds';
import { notFound, tooManyRequests, type Status } from '../status';
import { admissionLookup } from './admission-lookup';
import { prepareDelete } from './delete';
import { prepareDisrupt } from './disrupt';
import { refuseNode } from './requester';
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
  const { namespace, name } = target;
  const notOfNode = refuseNode(
    state,
    { resource: 'pods', operation: 'CREATE', subresource: 'eviction', name, namespace, object: pod },
    context,
  );
  if (notOfNode) return { kind: 'refused', status: notOfNode };
  const eviction = { metadata: { namespace, name }, deleteOptions } as unknown as KubeObject;
  const admission: Admission = {
    kind: kindsOf(state).kindOf('pods'),
    operation: 'CREATE',
    subresource: 'eviction',
    dryRun,
    lookup: admissionLookup(state, context.id),
    answers: context.reviews ?? [],
  };
  const charged = judge('charge', admissionSteps.charge, eviction, admission);
  if (charged.kind !== 'admitted') return charged;
  return granted(state, request, context, dryRun, admission.answers.findLast(evictionReview.isAnswer));
}

function granted(
  state: StateView,
  request: EvictRequest,
  context: WriteContext,
  dryRun: boolean,
  grant: ReviewAnswer | undefined,
): Prepared {
  const { target } = request;
  const pod = state.get('pods', target.namespace, target.name);
  const { uid, resourceVersion } = (grant?.data ?? {}) as { uid?: string; resourceVersion?: string };
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
