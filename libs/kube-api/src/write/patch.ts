import type { KubeObject } from '#libs/kernel';
import { findSubresource, type ResourceKind } from '../kinds';
import { applyPatch } from '../patch';
import type { Failure } from '../status';
import { apiVersionOf } from '../kinds/names';
import type { PatchRequest } from './request';

/** The object that the patch makes of the present one (a Scale of a Scale), read as a body of its kind. */
export function patched(
  kind: ResourceKind,
  request: PatchRequest,
  current: KubeObject,
): { object: KubeObject; warnings: string[] } | Failure {
  const body = (request.subresource && findSubresource(kind, request.subresource)) || kind;
  const named = { kind: body.kind, apiVersion: apiVersionOf(body.group, body.version), ...current };
  const result = applyPatch(body, request.patchType, named, request.patch, request.options?.fieldValidation);
  return result.ok ? { object: result.object, warnings: [...result.warnings] } : result.status;
}
