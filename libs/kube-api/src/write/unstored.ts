import { fact } from '#libs/events';
import { objectKey, type GroupResource, type KubeObject } from '#libs/kernel';
import type { Prepared, StateView, Target, WriteRequest } from './request';

/**
 * An object that is shown but not stored (a derived Event) is put on its stream in the same append as the write to it, as a frame before
 * what the write makes of it: from then on it is a stored one. Nothing is put there for a write that is refused or changes nothing.
 */
export function adopting(
  state: StateView,
  request: WriteRequest,
  shown: KubeObject | undefined,
  prepare: (view: StateView) => Prepared,
): Prepared {
  const target = 'target' in request ? request.target : undefined;
  if (!shown || !target || state.get(target.resource, target.namespace, target.name)) return prepare(state);
  const prepared = prepare(showing(state, target, shown));
  if (prepared.kind !== 'append') return prepared;
  const { resourceVersion: _, ...metadata } = shown.metadata;
  return { ...prepared, frames: [[fact('Created', { object: { ...shown, metadata } as KubeObject })], ...prepared.frames] };
}

/** The state with one more object in it. */
function showing(state: StateView, target: Target, shown: KubeObject): StateView {
  const key = objectKey(target.namespace, target.name);
  const isTarget = (resource: GroupResource, other: string): boolean => resource === target.resource && other === key;
  return {
    cluster: state.cluster,
    position: state.position,
    kinds: state.kinds,
    admission: state.admission,
    get: (resource, namespace, name) => (isTarget(resource, objectKey(namespace, name)) ? shown : state.get(resource, namespace, name)),
    byKey: (resource, other) => (isTarget(resource, other) ? shown : state.byKey(resource, other)),
    list: (resource, namespace) => state.list(resource, namespace),
    head: (stream) => state.head(stream),
  };
}
