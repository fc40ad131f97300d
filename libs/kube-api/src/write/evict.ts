import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { concernedSteps, evictionReview, judge, type Admission, type Eviction, type ReviewAnswer } from '../admission';
import { kindsOf } from '../kinds';
import { notFound, tooManyRequests, type Status } from '../status';
import { admissionOf } from './admission';
import { prepareDelete } from './delete';
import { prepareDisrupt } from './disrupt';
import { subresourceJudged, toldBeside } from './outside';
import { refuseNode } from './requester';
import type { EvictRequest, Prepared, StateView, WriteContext } from './request';

/**
 * An eviction: first the verdict of the disruption budgets (a review), then condition DisruptionTarget and the deletion
 * with the eviction's own options (upstream `EvictionREST.Create`).
 */
export function prepareEvict(state: StateView, request: EvictRequest, context: WriteContext): Prepared {
  const { target, deleteOptions = {} } = request;
  const { namespace, name } = target;
  const dryRun = Boolean(request.options?.dryRun ?? deleteOptions.dryRun);
  const eviction = { metadata: { namespace, name }, deleteOptions } as unknown as KubeObject;
  const judged = subresourceJudged(state, { target, options: { dryRun } }, 'eviction', evictionAsSent(eviction), context);
  if (judged.admitted.kind !== 'admitted') return toldBeside(judged.admitted, judged.warnings);
  const pod = state.get('pods', target.namespace, target.name);
  if (!pod) return { kind: 'refused', status: notFound('pods', target.name) };
  const notOfNode = refuseNode(
    state,
    { resource: 'pods', operation: 'CREATE', subresource: 'eviction', name, namespace, object: pod },
    context,
  );
  if (notOfNode) return { kind: 'refused', status: notOfNode };
  const pods = kindsOf(state).kindOf('pods');
  const admission: Admission = { ...admissionOf(state, pods, 'CREATE', context), subresource: 'eviction', dryRun };
  const charged = judge('charge', concernedSteps(admission).charge, eviction, admission);
  if (charged.kind !== 'admitted') return charged;
  // The deletion is the eviction's own: nobody is asked about it again.
  const own = { ...context, caller: undefined };
  return toldBeside(granted(state, request, own, dryRun, admission.answers.findLast(evictionReview.isAnswer)), judged.warnings);
}

/** With the dry run where a client says it. */
function evictionAsSent(eviction: KubeObject): KubeObject {
  const { dryRun, ...options } = (eviction as Eviction).deleteOptions as { dryRun?: boolean };
  const deleteOptions = { ...options, ...(dryRun ? { dryRun: ['All'] } : {}) };
  return { metadata: eviction.metadata, ...(Object.keys(deleteOptions).length > 0 ? { deleteOptions } : {}) } as unknown as KubeObject;
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
