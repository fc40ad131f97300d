import { fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';
import { isFailure, notFound } from '../status';
import { bindPod } from '../kinds';
import { appendTo, changeFacts } from './changes';
import { subresourceJudged, toldBeside } from './outside';
import type { BindRequest, Prepared, StateView, WriteContext } from './request';

/** A Binding: the pod gets its node and PodScheduled=True in one write (upstream `assignPod`). The node need not exist. */
export function prepareBind(state: StateView, request: BindRequest, context: WriteContext): Prepared {
  const { target } = request;
  const { admitted, warnings } = subresourceJudged(state, request, 'binding', bindingOf(request), context);
  if (admitted.kind !== 'admitted') return toldBeside(admitted, warnings);
  const { node, uid } = request;
  const pod = state.get('pods', target.namespace, target.name);
  if (!pod) return { kind: 'refused', status: notFound('pods', target.name) };
  const given = admitted.object.metadata.annotations;
  const annotations = given && Object.keys(given).length > 0 ? given : undefined;
  const bound = bindPod(pod, { node, uid, annotations }, context.now);
  if (isFailure(bound)) return { kind: 'refused', status: bound };
  if (request.options?.dryRun) return { kind: 'dry-run', object: bound, created: true, warnings };
  const scheduled = fact('PodScheduled', { node, ...(annotations ? { annotations } : {}) });
  return appendTo(state, target, [changeFacts(pod, bound, [scheduled], context.now)], bound, { created: true, warnings });
}

/** The Binding as a client would send it. */
function bindingOf({ target: { namespace, name }, node, uid, annotations }: BindRequest): KubeObject {
  const metadata = { name, namespace, ...(uid ? { uid } : {}), ...(annotations ? { annotations } : {}) };
  return { metadata, target: { kind: 'Node', name: node } } as unknown as KubeObject;
}
