import { isObject, type Json, type KubeObject } from '#libs/kernel';
import { findSubresource, type BodyKind, type ResourceKind } from '../kinds';
import { applyPatch } from '../patch';
import type { Failure } from '../status';
import { apiVersionOf } from '../kinds/names';
import { withoutOwners } from './owners';
import type { PatchRequest } from './request';

/** The object that the patch makes of the present one (a Scale of a Scale), read as a body of its kind. */
export function patched(
  kind: ResourceKind,
  request: PatchRequest,
  current: KubeObject,
): { object: KubeObject; warnings: string[] } | Failure {
  const body: BodyKind = (request.subresource && findSubresource(kind, request.subresource)) || kind;
  const withKind = (object: KubeObject): KubeObject => ({ kind: body.kind, apiVersion: apiVersionOf(body.group, body.version), ...object });
  const apply = (object: KubeObject) =>
    applyPatch(body, request.patchType, withKind(object), request.patch, request.options?.fieldValidation);
  let result = namesOwners(request) ? apply(written(current)) : apply(withoutOwners(current));
  // What is refused is quoted whole, owners and all.
  if (!result.ok && current.metadata.managedFields) result = apply(written(current));
  return result.ok ? { object: result.object, warnings: [...result.warnings] } : result.status;
}

/** With owners as a client sees them. */
function written(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (!managedFields || Array.isArray(managedFields)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  const entries = managedFields.toJSON();
  return { ...object, metadata: entries ? { ...metadata, managedFields: entries } : metadata } as KubeObject;
}

/** Whether the patch has to do with owners; most have not, and then nobody has to find out who owns what. */
function namesOwners({ patchType, patch }: PatchRequest): boolean {
  if (patchType === 'json')
    return (patch as Json[]).some((operation) => isObject(operation) && reachesOwners(operation['path'], operation['from']));
  const metadata = isObject(patch) ? patch['metadata'] : undefined;
  return metadata !== undefined && (!isObject(metadata) || '$patch' in metadata || 'managedFields' in metadata);
}

function reachesOwners(...pointers: (Json | undefined)[]): boolean {
  return pointers.some((pointer) => pointer === '' || pointer === '/metadata' || String(pointer).startsWith('/metadata/managedFields'));
}
