import type { WriteResult } from '#libs/control-loop';
import type { Json, KubeObject } from '#libs/kernel';
import {
  applyPatch,
  coreEventOf,
  isFailure,
  refuseInvalid,
  shownAs,
  staleResourceVersion,
  validateCreate,
  validateUpdate,
  type Failure,
  type PatchFormat,
  type ResourceKind,
  type Status,
  type WriteOptions,
} from '#libs/kube-api';
import { findObject } from '../reading/get';
import type { MutatingRequest } from '../writing/write-request';
import type { ObjectWriter } from './derived-event-writer';

/*
 * events.k8s.io/v1 is a second view of the Events that core/v1 has: written through it they are held to stricter rules, in its
 * own field names, and stored as core shows them.
 */

/** How often a patch is applied at most, when another write comes in between each time (upstream: 5). */
const attemptsMax = 5;

export function isNewEvents(kind: ResourceKind): boolean {
  return kind.storage === 'events' && kind.group !== '';
}

function refused(status: Status): WriteResult {
  return { kind: 'refused', status };
}

/** Refusals name the resource of the view that was written to; findings of validation name the kind, which has no group there. */
function named(result: WriteResult): WriteResult {
  if (result.kind !== 'refused' || result.status.details?.kind !== 'events') return result;
  const { status } = result;
  const { name, kind, ...details } = status.details as NonNullable<Status['details']>;
  return refused({
    ...status,
    message: status.message?.replace(/\bevents "/, 'events.events.k8s.io "'),
    details: { ...(name === undefined ? {} : { name }), group: 'events.k8s.io', kind, ...details },
  });
}

export async function createNewEvent(
  request: MutatingRequest,
  writer: ObjectWriter,
  event: KubeObject,
  options: WriteOptions,
): Promise<WriteResult> {
  const { kind, namespace = '', origin } = request;
  const { metadata } = event;
  const name = metadata.name ?? (metadata.generateName === undefined ? '' : `${metadata.generateName}x`);
  const errors = validateCreate(kind, { ...event, metadata: { ...metadata, name, namespace } });
  if (errors.length > 0 && name !== '') return refused(refuseInvalid(kind, metadata.name ?? '', errors));
  return named(await writer.write({ verb: 'create', resource: kind.storage, namespace, object: coreEventOf(event), options }, origin));
}

export async function updateNewEvent(
  request: MutatingRequest,
  writer: ObjectWriter,
  event: KubeObject,
  options: WriteOptions,
  before: KubeObject | undefined,
): Promise<WriteResult> {
  const { kind, namespace, name = '', origin } = request;
  if (before) {
    const metadata = {
      ...before.metadata,
      ...event.metadata,
      resourceVersion: event.metadata.resourceVersion ?? before.metadata.resourceVersion,
    };
    const errors = validateUpdate(kind, { ...event, metadata }, shownAs(kind, before));
    if (errors.length > 0) return refused(refuseInvalid(kind, name, errors));
  } else {
    const errors = validateCreate(kind, { ...event, metadata: { ...event.metadata, name, namespace } });
    if (errors.length > 0) return refused(refuseInvalid(kind, name, errors));
  }
  const target = { resource: kind.storage, namespace, name };
  return named(await writer.write({ verb: 'update', target, object: coreEventOf(event), options }, origin));
}

export interface EventPatch {
  format: PatchFormat;
  patch: Json;
  strict: readonly string[];
  options: WriteOptions;
}

/** A patch is applied to the view it was made for; the result is written as an update. */
export async function patchNewEvent(
  request: MutatingRequest,
  writer: ObjectWriter,
  { format, patch, strict, options }: EventPatch,
): Promise<WriteResult> {
  const { kind, name = '', origin } = request;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const stored: KubeObject | Failure = await findObject(request);
    if (isFailure(stored)) return refused(stored);
    // Who owns which fields is not what the patch is about; the update that follows from it tells that.
    const { managedFields: _, ...metadata } = stored.metadata;
    const view = { kind: kind.kind, apiVersion: kind.apiVersion, ...shownAs(kind, { ...stored, metadata }) };
    const patched = applyPatch(kind, format, view, patch, options.fieldValidation, strict);
    if (!patched.ok) return refused(patched.status);
    const { object } = patched;
    const again = { ...request, origin: { ...origin, operation: `${origin.operation}/${attempt}` } };
    const result = await updateNewEvent(again, writer, object, options, stored);
    const overtaken =
      result.kind === 'refused' &&
      result.status.reason === 'Conflict' &&
      object.metadata.resourceVersion === stored.metadata.resourceVersion;
    if (!overtaken) return { ...result, warnings: [...patched.warnings, ...(result.warnings ?? [])] };
  }
  return refused(staleResourceVersion(kind.groupResource, name));
}
