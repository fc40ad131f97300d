import { fact } from '#libs/events';
import { isFailure, notFound } from '../status';
import { bindPod } from '../kinds';
import { appendTo, changeFacts } from './changes';
import type { BindRequest, Prepared, StateView, WriteContext } from './request';

/** A Binding: the pod gets its node and PodScheduled=True in one write (upstream `assignPod`). The node need not exist. */
export function prepareBind(state: StateView, request: BindRequest, context: WriteContext): Prepared {
  const { target, node, uid } = request;
  const pod = state.get('pods', target.namespace, target.name);
  if (!pod) return { kind: 'refused', status: notFound('pods', target.name) };
  const annotations = request.annotations && Object.keys(request.annotations).length > 0 ? request.annotations : undefined;
  const bound = bindPod(pod, { node, uid, annotations }, context.now);
  if (isFailure(bound)) return { kind: 'refused', status: bound };
  if (request.options?.dryRun) return { kind: 'dry-run', object: bound, created: true, warnings: [] };
  const scheduled = fact('PodScheduled', { node, ...(annotations ? { annotations } : {}) });
  return appendTo(state, target, [changeFacts(pod, bound, [scheduled], context.now)], bound, { created: true });
}
