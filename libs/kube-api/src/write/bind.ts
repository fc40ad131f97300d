import { fact } from '#libs/events';
import * as statuses from '../status/catalogue';
import type { Status } from '../status';
import { appendTo, foldFacts } from './changes';
import type { BindRequest, Prepared, StateView, WriteContext } from './request';

/** A Binding: the pod gets its node and PodScheduled=True in one write (upstream `assignPod`). The node need not exist. */
export function prepareBind(state: StateView, request: BindRequest, context: WriteContext): Prepared {
  const { target } = request;
  const pod = state.get('pods', target.namespace, target.name);
  const refused = (status: Status): Prepared => ({ kind: 'refused', status });
  if (!pod) return refused(statuses.notFound('pods', target.name));
  const { uid, namespace, name, deletionTimestamp } = pod.metadata;
  if (request.uid && request.uid !== uid) return refused(statuses.storedUidDiffers('pods', namespace, name, request.uid, uid));
  const conflict = (text: string): Prepared => refused(statuses.conflict('pods/binding', name, text));
  if (deletionTimestamp) return conflict(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) return conflict(`pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  if (pod.spec?.schedulingGates?.length) return conflict(`pod ${name} has non-empty .spec.schedulingGates`);
  const annotations = request.annotations && Object.keys(request.annotations).length > 0 ? request.annotations : undefined;
  const facts = [fact('PodScheduled', { node: request.node, ...(annotations ? { annotations } : {}) })];
  const object = foldFacts(pod, facts, context.now) ?? pod;
  if (request.options?.dryRun) return { kind: 'dry-run', object, created: true, warnings: [] };
  return appendTo(state, target, [facts], object, { created: true });
}
