import type { KubeObject } from '#libs/kernel';
import { kindOf, type ResourceKind } from '../kinds';
import { applyPatch } from '../patch';
import type { Failure } from '../status';
import type { PatchRequest } from './request';

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The object that the patch makes of the present one (a Scale of a Scale), read as a body of its kind. */
export function patched(kind: ResourceKind, request: PatchRequest, current: KubeObject): { object: KubeObject; warnings: string[] } | Failure {
  const { group, version, kind: name, apiVersion } = kindOf(kind.groupResource);
  const scale = request.subresource === 'scale';
  const gvk = scale ? scaleKind : { group, version, kind: name };
  const named = { kind: gvk.kind, apiVersion: scale ? 'autoscaling/v1' : apiVersion, ...current };
  const result = applyPatch(gvk, request.patchType, named, request.patch, request.options?.fieldValidation);
  return result.ok ? { object: result.object, warnings: [...result.warnings] } : result.status;
}
