import { fact, type Fact } from '#libs/events';
import { deltaOf, type GroupResource, type JsonObject, type KubeObject } from '#libs/kernel';
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
  const facts: Fact[] = [];
  if (after.annotations) {
    const changed = { ...object, metadata: { ...object.metadata, annotations: after.annotations } };
    const changes = deltaOf(object, changed);
    if (changes.length > 0) facts.push(fact('Updated', { changes }));
  }
  const changes = deltaOf({ status: object.status } as JsonObject, { status: after.status } as JsonObject);
  if (changes.length > 0) facts.push(fact('StatusUpdated', { changes }));
  return { verb: 'record', target: { resource, namespace, name }, uid, ifVersion: resourceVersion, facts };
}
