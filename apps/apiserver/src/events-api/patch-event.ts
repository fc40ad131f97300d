import type { WriteResult } from '#libs/control-loop';
import type { Json } from '#libs/kernel';
import { applyPatch, isFailure, staleResourceVersion, type PatchFormat, type WriteOptions } from '#libs/kube-api';
import { findObject } from '../reading/get';
import type { MutatingRequest } from '../writing/write-request';
import type { ObjectWriter } from './derived-event-writer';
import { coreEventOf, newEventOf } from './event-views';

/** How often a patch is applied anew after somebody else was first (upstream: 5). */
const attemptsMax = 5;

export interface EventPatch {
  format: PatchFormat;
  patch: Json;
  options: WriteOptions;
}

/** A patch of the events.k8s.io view: applied to that view, written as the stored one it stands for. */
export async function patchEvent(request: MutatingRequest, writer: ObjectWriter, { format, patch, options }: EventPatch): Promise<WriteResult> {
  const { kind, namespace, name = '', origin } = request;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const stored = await findObject(request);
    if (isFailure(stored)) return { kind: 'refused', status: stored };
    const view = { kind: kind.kind, apiVersion: kind.apiVersion, ...newEventOf(stored) };
    const patched = applyPatch(gvk, format, view, patch, options.fieldValidation);
    if (!patched.ok) return { kind: 'refused', status: patched.status };
    const object = coreEventOf(patched.object);
    const target = { resource: kind.storage, namespace: namespace || undefined, name };
    const result = await writer.write({ verb: 'update', target, object, options }, { ...origin, operation: `${origin.operation}/${attempt}` });
    const lost = result.kind === 'refused' && result.status.code === 409 && object.metadata.resourceVersion === stored.metadata.resourceVersion;
    if (!lost) return result.kind === 'refused' ? result : { ...result, warnings: [...patched.warnings, ...result.warnings] };
  }
  return { kind: 'refused', status: staleResourceVersion(kind.groupResource, name) };
}
