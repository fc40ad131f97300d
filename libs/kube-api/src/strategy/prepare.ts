import type { GroupResource, KubeObject, ObjectMeta } from '#libs/kernel';
import { formatTime } from '#libs/kernel';
import { findGroupResource } from '../kinds';
import type { CreateContext, UpdatedSubresource } from './context';
import { semanticEqual } from './equality';
import { prepareNamespaceUpdate, prepareNewNamespace, withNameLabel } from '../kinds/core/namespaces';
import { prepareEphemeralContainers, prepareNewPod, preparePodStatus, prepareResize } from '../kinds/core/pods/strategy';
import { prepareNewService, prepareServiceUpdate } from '../kinds/core/services/strategy';
import { zeroStatus } from './zero-status';

/**
 * A decoded, defaulted and admitted object as it is to be validated and stored (upstream's registry strategies and
 * `rest.BeforeCreate`): system fields set, what clients may not set dropped.
 */
export function prepareForCreate(resource: GroupResource, object: KubeObject, context: CreateContext): KubeObject {
  return createByKind(resource, { ...object, metadata: newMetadata(resource, object, context) }, context);
}

function newMetadata(resource: GroupResource, object: KubeObject, { now, uid }: CreateContext): ObjectMeta {
  const {
    deletionTimestamp: _deleted,
    deletionGracePeriodSeconds: _grace,
    selfLink: _link,
    resourceVersion: _version,
    generation,
    ...kept
  } = object.metadata as ObjectMeta & { selfLink?: string };
  const metadata: ObjectMeta = { ...kept, uid, creationTimestamp: formatTime(now) };
  const kind = findGroupResource(resource);
  if (kind && !kind.namespaced) delete metadata.namespace;
  if (kind && kind.generation !== 'none') metadata.generation = 1;
  else if (generation) metadata.generation = generation;
  return metadata;
}

function createByKind(resource: GroupResource, object: KubeObject, context: CreateContext): KubeObject {
  switch (resource) {
    case 'pods':
      return prepareNewPod(object, context);
    case 'namespaces':
      return prepareNewNamespace(object);
    case 'services':
      return prepareNewService(object);
    case 'serviceaccounts':
      return withSecretNames(object);
    case 'nodes':
      // The kubelet registers its node together with its status.
      return object;
    default:
      return findGroupResource(resource)?.hasStatus ? { ...object, status: zeroStatus(resource) } : object;
  }
}

/** References to secrets keep their name only. */
function withSecretNames(account: KubeObject): KubeObject {
  const secrets: { name?: string }[] | undefined = account.secrets;
  if (!secrets?.some((reference) => Object.keys(reference).length !== 1)) return account;
  return { ...account, secrets: secrets.map(({ name }) => ({ name })) };
}

/** Metadata that a write through /status leaves as it was, beside what no update may change. */
const keptByStatus: Record<GroupResource, (keyof ObjectMeta)[]> = {
  'deployments.apps': ['labels'],
};

/**
 * An updated object (the result of a PUT or a patch, defaulted) as it is to be validated and stored: system fields and what the
 * subresource does not reach are taken from the stored one, and the generation follows the spec.
 */
export function prepareForUpdate(
  resource: GroupResource,
  updated: KubeObject,
  old: KubeObject,
  subresource?: UpdatedSubresource,
): KubeObject {
  const base = { ...updated, metadata: updatedMetadata(updated.metadata, old.metadata) };
  const prepared = updateByKind(resource, base, old, subresource);
  return raiseGeneration(resource, prepared, old, subresource);
}

/** Upstream `rest.BeforeUpdate`: an update cannot take back a deletion, nor change who the object is. */
function updatedMetadata(updated: ObjectMeta, old: ObjectMeta): ObjectMeta {
  const { selfLink: _, ...metadata } = { ...updated } as ObjectMeta & { selfLink?: string };
  metadata.uid = updated.uid || old.uid;
  metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined && metadata.deletionGracePeriodSeconds === undefined) {
    metadata.deletionGracePeriodSeconds = old.deletionGracePeriodSeconds;
  }
  if (old.generation === undefined) delete metadata.generation;
  else metadata.generation = old.generation;
  return metadata;
}

function updateByKind(resource: GroupResource, updated: KubeObject, old: KubeObject, subresource?: UpdatedSubresource): KubeObject {
  if (subresource === 'status') return statusUpdate(resource, updated, old);
  if (subresource === 'finalize') return withNameLabel({ ...updated, status: old.status });
  if (subresource === 'ephemeralcontainers') return keepMetadata(prepareEphemeralContainers(updated, old), old, resettable);
  if (subresource === 'resize') {
    const prepared = prepareResize(updated, old);
    return prepared === updated ? updated : keepMetadata(prepared, old, resettable);
  }
  switch (resource) {
    case 'namespaces':
      return prepareNamespaceUpdate(updated, old);
    case 'services':
      return prepareServiceUpdate(updated, old);
    case 'serviceaccounts':
      return withSecretNames(updated);
    case 'secrets':
      return updated.type || !old.type ? updated : { ...updated, type: old.type };
    default:
      return findGroupResource(resource)?.hasStatus ? withStatus(updated, old.status) : updated;
  }
}

function withStatus(object: KubeObject, status: unknown): KubeObject {
  if (status !== undefined) return { ...object, status };
  const { status: _, ...rest } = object;
  return rest as KubeObject;
}

/** Everything but status and metadata stays as it was. */
function statusUpdate(resource: GroupResource, updated: KubeObject, old: KubeObject): KubeObject {
  if (resource === 'pods') return preparePodStatus(updated, old);
  const prepared: KubeObject = { ...old, metadata: updated.metadata };
  const withNew = withStatus(prepared, updated.status);
  const kept = keptByStatus[resource];
  const result = kept ? keepMetadata(withNew, old, kept) : withNew;
  return resource === 'namespaces' ? withNameLabel(result) : result;
}

/** Upstream `ResetObjectMetaForStatus`. */
const resettable: (keyof ObjectMeta)[] = ['deletionTimestamp', 'generation', 'labels', 'annotations', 'finalizers', 'ownerReferences'];

function keepMetadata(object: KubeObject, old: KubeObject, fields: readonly (keyof ObjectMeta)[]): KubeObject {
  const metadata = { ...object.metadata } as Record<string, unknown>;
  for (const field of fields) {
    if (old.metadata[field] === undefined) delete metadata[field];
    else metadata[field] = old.metadata[field];
  }
  return { ...object, metadata: metadata as unknown as ObjectMeta };
}

/** +1 where the wish changed. A Deployment's annotations are part of it: the controller copies them to its ReplicaSets. */
function raiseGeneration(resource: GroupResource, updated: KubeObject, old: KubeObject, subresource?: UpdatedSubresource): KubeObject {
  if (!findGroupResource(resource)?.managesGeneration || subresource === 'status') return updated;
  const changed =
    !sameWish(updated, old) ||
    (resource === 'deployments.apps' && !semanticEqual(updated.metadata.annotations, old.metadata.annotations, 'annotations'));
  return changed ? { ...updated, metadata: { ...updated.metadata, generation: (old.metadata.generation ?? 0) + 1 } } : updated;
}

function sameWish(updated: KubeObject, old: KubeObject): boolean {
  if (updated.spec !== undefined || old.spec !== undefined) return semanticEqual(updated.spec, old.spec);
  const wish = ({ apiVersion: _v, kind: _k, metadata: _m, status: _s, ...rest }: KubeObject) => rest;
  return semanticEqual(wish(updated), wish(old));
}
