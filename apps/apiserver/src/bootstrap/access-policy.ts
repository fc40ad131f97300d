import type { ClusterRuntime, Origin, Writer } from '#libs/control-loop';
import { objectStream } from '#libs/events';
import { derivedId, derivedUid, formatTime, type KubeObject } from '#libs/kernel';
import { policyObjects, type CreateRequest, type PolicyObject } from '#libs/kube-api';

/**
 * Makes the roles and bindings of the cluster's policy that have never been there; what becomes of those that have been is decided by a
 * controller (`rbac-bootstrap-roles`).
 * @throws Error where the log does not take one: nobody but the administrator could do anything
 */
export async function ensureAccessPolicy(runtime: ClusterRuntime, writer: Writer): Promise<void> {
  const { state } = runtime;
  const isNew = ({ resource, object: { metadata } }: PolicyObject): boolean =>
    state.head(objectStream(state.cluster, resource, metadata.namespace, metadata.name)) === undefined;
  await Promise.all(
    policyObjects()
      .filter(isNew)
      .map((own) => created(runtime, writer, own)),
  );
}

async function created(runtime: ClusterRuntime, writer: Writer, { resource, object }: PolicyObject): Promise<void> {
  const { namespace, name } = object.metadata;
  const operation = `bootstrap/${resource}/${namespace ?? ''}/${name}`;
  const origin: Origin = { actor: 'apiserver', operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
  const request: CreateRequest = { verb: 'create', resource, namespace, object };
  // They are over a hundred, so they are made without being prepared.
  const result = await writer.createMade(request, (id, now) => madeOf(object, id, now), origin);
  // Another server of the same cluster may have just made it.
  if (result.kind === 'refused' && result.status.reason !== 'AlreadyExists')
    throw new Error(`${resource} ${name} cannot be created: ${result.status.message}`);
}

/** The object as it is stored. */
export function madeOf({ metadata, ...rest }: KubeObject, id: string, now: number): KubeObject {
  const { name, namespace, labels, annotations } = metadata;
  const place = namespace === undefined ? { name } : { name, namespace };
  return { metadata: { ...place, uid: derivedUid(id), creationTimestamp: formatTime(now), labels, annotations }, ...rest };
}
