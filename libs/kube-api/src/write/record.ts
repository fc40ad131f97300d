import { fact } from '#libs/events';
import { jsonEqual } from '#libs/kernel';
import { kindsOf } from '../kinds';
import { notFound, staleResourceVersion } from '../status';
import { removedByUpdate } from '../strategy';
import { appendTo, changeFacts, foldFacts } from './changes';
import { effective } from './disrupt';
import type { Prepared, RecordRequest, StateView, WriteContext } from './request';

/** A controller's facts about one object, and what it is by them. Facts that change nothing are not recorded. */
export function prepareRecord(state: StateView, request: RecordRequest, context: WriteContext): Prepared {
  const { target, uid, ifVersion, facts, after: wanted } = request;
  const kind = kindsOf(state).kindOf(target.resource);
  const { groupResource } = kind;
  const object = state.get(target.resource, target.namespace, target.name);
  if (!object || object.metadata.uid !== uid) return { kind: 'refused', status: notFound(groupResource, target.name) };
  if (ifVersion !== undefined && ifVersion !== object.metadata.resourceVersion) {
    return { kind: 'refused', status: staleResourceVersion(groupResource, target.name) };
  }
  const told = effective(object, facts, context.now);
  const recorded = wanted ? changeFacts(object, wanted, told, context.now) : told;
  const after = foldFacts(object, recorded, context.now) ?? object;
  if (jsonEqual(object, after)) return { kind: 'unchanged', object, warnings: [] };
  if (removedByUpdate(kind, after, object)) return appendTo(state, target, [[fact('Deleted', {})]], after);
  return appendTo(state, target, [recorded], after);
}
