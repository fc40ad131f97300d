import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { kindOf } from '../kinds';
import { forbiddenRequest, notFound, type Status } from '../status';
import { beginDeletion, checkPreconditions } from '../strategy';
import { appendTo, changeFacts } from './changes';
import type { DeleteRequest, Prepared, StateView, WriteContext } from './request';

/** Namespaces that upstream's NamespaceLifecycle admission never lets go. */
const immortalNamespaces = new Set(['default', 'kube-system', 'kube-public']);

/** DELETE: preconditions, propagation finalizers, grace, finalizers; and the deletion itself when nothing holds it up. */
export function prepareDelete(state: StateView, request: DeleteRequest, context: WriteContext): Prepared {
  const { target, options = {} } = request;
  const kind = kindOf(target.resource);
  if (target.resource === 'namespaces' && immortalNamespaces.has(target.name)) {
    return refused(forbiddenRequest(kind.groupResource, target.name, 'this namespace may not be deleted'));
  }
  const object = state.get(target.resource, target.namespace, target.name);
  if (!object) return refused(notFound(kind.groupResource, target.name));
  const failed = checkPreconditions(kind.kind, object, options.preconditions);
  if (failed) return refused(failed);
  const deletion = beginDeletion(target.resource, object, options, context.now);
  if (deletion.outcome === 'unchanged') return { kind: 'unchanged', object, warnings: [] };
  if (options.dryRun) return { kind: 'dry-run', object: deletion.object, created: false, warnings: [] };
  const appends: Fact[][] = deletion.marked ? [deletionFacts(object, deletion.object, context.now)] : [];
  if (deletion.outcome === 'remove') appends.push([fact('Deleted', {})]);
  return appendTo(state, target, appends, deletion.object);
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
