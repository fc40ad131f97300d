import type { KubeObject } from '#libs/kernel';
import { formatTime } from '#libs/kernel';
import { aggregateText, badRequest, conflict, plainError, required, storedUidDiffers, unsupported } from '../../../status';
import type { Failure, FieldError } from '../../../status';

export interface PodBinding {
  node: string;
  uid?: string;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** What a Binding object asks for, checked as upstream does: a plain 500 names what is wrong with the target. */
export function readBinding(body: KubeObject, podName: string): PodBinding | Failure {
  const { target } = body as { target?: { kind?: string; name?: string } };
  if ((body.metadata?.name ?? '') !== podName) return badRequest('name in URL does not match name in Binding object');
  const errors: FieldError[] = [];
  if (target?.kind && target.kind !== 'Node') errors.push(unsupported('target.kind', target.kind, ['Node', '<empty>']));
  if (!target?.name) errors.push(required('target.name'));
  if (errors.length > 0) return plainError(aggregateText(errors));
  const { uid, annotations, labels } = body.metadata;
  return { node: target?.name as string, uid: uid || undefined, annotations, labels };
}

/** The pod bound to a node: PodScheduled is True, the binding's annotations and labels are the pod's. Generation stays. */
export function bindPod(pod: KubeObject, { node, uid, annotations, labels }: PodBinding, now: number): KubeObject | Failure {
  const { name, namespace } = pod.metadata;
  if (uid !== undefined && uid !== pod.metadata.uid) return storedUidDiffers('pods', namespace, name, uid, pod.metadata.uid);
  if (pod.metadata.deletionTimestamp) return conflict('pods/binding', name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) return conflict('pods/binding', name, `pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec?.schedulingGates?.length > 0) return conflict('pods/binding', name, `pod ${name} has non-empty .spec.schedulingGates`);
  const metadata = { ...pod.metadata };
  if (annotations) metadata.annotations = { ...metadata.annotations, ...annotations };
  if (labels) metadata.labels = { ...metadata.labels, ...labels };
  const status = { ...pod.status, conditions: scheduled(pod.status?.conditions ?? [], now) };
  return { ...pod, metadata, spec: { ...pod.spec, nodeName: node }, status };
}

interface Condition {
  type: string;
  status: string;
  [field: string]: unknown;
}

function scheduled(conditions: Condition[], now: number): Condition[] {
  const condition = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: formatTime(now) };
  const index = conditions.findIndex(({ type }) => type === 'PodScheduled');
  if (index < 0) return [...conditions, condition];
  const before = conditions[index] as Condition;
  const same = before.status === 'True' ? { lastTransitionTime: before.lastTransitionTime as string } : {};
  return conditions.with(index, { ...condition, ...same });
}

/** Eviction's own body checks. */
export function checkEvictionName(body: KubeObject, podName: string): Failure | undefined {
  return body.metadata.name === podName ? undefined : badRequest('name in URL does not match name in Eviction object');
}
