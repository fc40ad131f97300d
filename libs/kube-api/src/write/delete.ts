import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { admitNamespaceDeletion, admitPriorityClassDeletion } from '../admission';
import { inItsVersion, kindsOf } from '../kinds';
import { forbiddenRequest, notFound, type Status } from '../status';
import { beginDeletion, checkPreconditions } from '../strategy';
import { appendTo, changeFacts } from './changes';
import { refuseNode } from './requester';
import { deletionJudged, toldBeside } from './outside';
import type { DeleteRequest, Prepared, StateView, Target, WriteContext } from './request';

/** DELETE: preconditions, propagation finalizers, grace, finalizers; and the deletion itself when nothing holds it up. */
export function prepareDelete(state: StateView, request: DeleteRequest, context: WriteContext): Prepared {
  const { target, options = {} } = request;
  const kind = kindsOf(state).kindOf(target.resource);
  const protectedName = protection(target);
  if (protectedName) return refused(protectedName);
  const object = state.get(target.resource, target.namespace, target.name);
  if (!object) return refused(notFound(kind.groupResource, target.name));
  const { name, namespace } = target;
  const notOfNode = refuseNode(state, { resource: kind.groupResource, operation: 'DELETE', name, namespace, object }, context);
  if (notOfNode) return refused(notOfNode);
  const failed = checkPreconditions(kind.kind, object, options.preconditions);
  if (failed) return refused(failed);
  const deletion = beginDeletion(kind, object, options, context.now);
  if (deletion.outcome === 'unchanged') return { kind: 'unchanged', object, warnings: [] };
  const { admitted, warnings } = deletionJudged(state, kind, request, inItsVersion(kind, object), context);
  if (admitted.kind !== 'admitted') return toldBeside(admitted, warnings);
  if (options.dryRun) return { kind: 'dry-run', object: deletion.object, created: false, warnings };
  const frames: Fact[][] = deletion.marked ? [deletionFacts(object, deletion.object, context.now)] : [];
  if (deletion.outcome === 'remove') frames.push([fact('Deleted', {})]);
  return appendTo(state, target, frames, deletion.object, { warnings });
}

function protection({ resource, name }: Target): Status | undefined {
  if (resource === 'namespaces') return admitNamespaceDeletion(name);
  if (resource !== 'priorityclasses.scheduling.k8s.io') return undefined;
  const verdict = admitPriorityClassDeletion(name);
  return verdict && forbiddenRequest(resource, name, verdict.refusal);
}

function deletionFacts(before: KubeObject, after: KubeObject, now: number): Fact[] {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = after.metadata;
  if (!deletionTimestamp) return changeFacts(before, after, [], now);
  const requested = fact('DeletionRequested', {
    deletionTimestamp,
    ...(deletionGracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: deletionGracePeriodSeconds }),
    ...(generation === before.metadata.generation ? {} : { generation }),
  });
  return changeFacts(before, after, [requested], now);
}

function refused(status: Status): Prepared {
  return { kind: 'refused', status };
}
