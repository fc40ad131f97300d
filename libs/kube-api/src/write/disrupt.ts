import { hasFold } from '#libs/cluster-state';
import type { Fact } from '#libs/events';
import { jsonEqual, type KubeObject } from '#libs/kernel';
import { notFound } from '../status';
import { appendTo, foldFacts } from './changes';
import { prepareDelete } from './delete';
import type { DisruptRequest, Prepared, StateView, WriteContext } from './request';

/** Marks the pod with the reason and deletes it. One that is going already keeps its first mark's time and its grace. */
export function prepareDisrupt(state: StateView, request: DisruptRequest, context: WriteContext): Prepared {
  const { target, uid, mark, deleteOptions } = request;
  const object = state.get(target.resource, target.namespace, target.name);
  if (!object || object.metadata.uid !== uid) return { kind: 'refused', status: notFound(target.resource, target.name) };
  const deletion = prepareDelete(state, { verb: 'delete', target, options: deleteOptions }, context);
  if (deletion.kind !== 'append' && deletion.kind !== 'unchanged') return deletion;
  const marks = effective(object, [mark], context.now);
  const marked = foldFacts(object, marks, context.now) ?? object;
  const frames = [...(marks.length > 0 ? [marks] : []), ...(deletion.kind === 'append' ? deletion.frames : [])];
  if (frames.length === 0) return { kind: 'unchanged', object, warnings: [] };
  return appendTo(state, target, frames, { ...deletion.object, status: marked.status }, { created: true });
}

/** The facts without those that leave the object as it is. Facts that fold to nothing by themselves are kept. */
export function effective(object: KubeObject, facts: readonly Fact[], now: number): Fact[] {
  let reached: KubeObject | undefined = object;
  return facts.filter((candidate) => {
    const before: KubeObject | undefined = reached;
    reached = foldFacts(before, [candidate], now);
    return !hasFold(candidate.type) || !jsonEqual(before, reached);
  });
}
