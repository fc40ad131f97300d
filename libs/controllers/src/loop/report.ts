import { fact, type Fact } from '#libs/events';
import type { GroupResource, KubeObject } from '#libs/kernel';
import type { RecordRequest } from '#libs/kube-api';

export interface Report {
  type?: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

/** What upstream would tell the object's owner by an Event. */
export function report(component: string, resource: GroupResource, object: KubeObject, { type = 'Normal', reason, message }: Report): Fact {
  const { namespace = '', name, uid } = object.metadata;
  return fact('Reported', { resource, namespace, name, uid, type, reason, message, component });
}

/** A status as computed against the version that was looked at; annotations may come along, as upstream's status writes allow. */
export function statusWrite(
  resource: GroupResource,
  object: KubeObject,
  after: { status: unknown; annotations?: Record<string, string> },
): RecordRequest {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const metadata = after.annotations ? { ...object.metadata, annotations: after.annotations } : object.metadata;
  const wanted = { ...object, metadata, status: after.status } as KubeObject;
  return { verb: 'record', target: { resource, namespace, name }, uid, ifVersion: resourceVersion, facts: [], after: wanted };
}
