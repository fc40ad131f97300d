import { isObject, type Json, type KubeObject } from '#libs/kernel';
import { wireFormOf } from '../decode';
import { findSubresource, type BodyKind, type ResourceKind } from '../kinds';
import { applyPatch } from '../patch';
import type { Failure } from '../status';
import { apiVersionOf } from '../kinds/names';
import { entriesOf, FieldOwners, ownersOfScale, withOwners } from '../managed-fields';
import { withoutOwners } from './owners';
import type { PatchRequest } from './request';

/** The object that the patch makes of the present one (a Scale of a Scale), read as a body of its kind. */
export function patched(
  kind: ResourceKind,
  request: PatchRequest,
  current: KubeObject,
  old: KubeObject,
): { object: KubeObject; exact?: KubeObject; warnings: string[] } | Failure {
  const body: BodyKind = (request.subresource && findSubresource(kind, request.subresource)) || kind;
  const withKind = (object: KubeObject): KubeObject => ({ kind: body.kind, apiVersion: apiVersionOf(body.group, body.version), ...object });
  const apply = (object: KubeObject) =>
    applyPatch(body, request.patchType, withKind(object), request.patch, request.options?.fieldValidation, request.strict);
  const result = apply(namesOwners(request) ? written(body, current) : withoutOwners(current));
  if (result.ok) return { ...result, warnings: [...result.warnings] };
  // What is refused is quoted whole, as a client sees it, owners and all.
  const again = apply(written(body, request.subresource === 'scale' ? withScaleOwners(kind, current, old) : current));
  return again.ok ? { ...again, warnings: [...again.warnings] } : again.status;
}

/** A Scale with those that own the replicas of the workload. */
function withScaleOwners(kind: ResourceKind, scale: KubeObject, workload: KubeObject): KubeObject {
  return withOwners(scale, FieldOwners.of(ownersOfScale(entriesOf(workload), kind)));
}

/** As a client sees it. */
function written(body: BodyKind, object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  const entries = managedFields && !Array.isArray(managedFields) ? managedFields.toJSON() : managedFields;
  const whole = { ...object, metadata: entries ? { ...metadata, managedFields: entries } : metadata } as KubeObject;
  return body.form ? (sorted(whole as unknown as Json) as unknown as KubeObject) : wireFormOf(body, whole);
}

/** A copy with all fields in the order of their names. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name] as Json)]),
  );
}

/** Whether the patch has to do with owners; most have not, and then nobody has to find out who owns what. */
function namesOwners({ patchType, patch }: PatchRequest): boolean {
  if (patchType === 'json')
    return (patch as Json[]).some((operation) => isObject(operation) && reachesOwners(operation['path'], operation['from']));
  const metadata = isObject(patch) ? patch['metadata'] : undefined;
  return metadata !== undefined && (!isObject(metadata) || '$patch' in metadata || 'managedFields' in metadata);
}

function reachesOwners(...pointers: (Json | undefined)[]): boolean {
  return pointers.some((pointer) => {
    // The first part is not looked at.
    const [first, second] = String(pointer ?? '')
      .split('/')
      .slice(1);
    return pointer === '' || (first === 'metadata' && (second === undefined || second === 'managedFields'));
  });
}
