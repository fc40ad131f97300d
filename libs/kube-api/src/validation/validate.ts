import type { KubeObject } from '#libs/kernel';
import type { ResourceKind } from '../kinds/resource-kind';
import { invalid, invalidValue, tooLong } from '../status';
import type { Failure, FieldError } from '../status';
import type { UpdatedSubresource } from '../strategy/context';
import { byteLength, isPathSegmentName } from './formats';
import { validateCommonUpdate, validateMetadata, validateMetadataUpdate } from './metadata';
import type { Errors } from './values';

/** Our own rule: upstream lets a core Event have any name that fits into a request. The store's streams are named after objects. */
const nameBytesMax = 16_384;

/**
 * What is wrong with a new object, defaulted and prepared (`prepareForCreate`). The kind's rules come first; only an object
 * that passes them is checked by those of every object.
 */
export function validateCreate(kind: ResourceKind, object: KubeObject): FieldError[] {
  const errors: Errors = [];
  kind.validation.create(object, errors);
  if (errors.length > 0) return errors;
  validateMetadata(object.metadata, { namespaced: kind.namespaced, name: isPathSegmentName, qualifiedFinalizers: false }, errors);
  if (byteLength(object.metadata.name ?? '') > nameBytesMax) errors.push(tooLong('metadata.name', nameBytesMax));
  return errors;
}

/** A body of a custom kind may say that it is of another one; that is looked at when it is validated. */
export function withSentKind({ form, kind }: ResourceKind, object: KubeObject, { kind: sent }: KubeObject): KubeObject {
  return form && sent !== undefined && sent !== kind ? { ...object, kind: sent } : object;
}

/** The kind as a refusal names it: as the body did. */
export function named(kind: ResourceKind, { kind: sent }: KubeObject): NamedKind {
  const { group, storage, groupResource } = kind;
  return kind.form && sent !== undefined ? { kind: sent, group, storage, groupResource } : kind;
}

type NamedKind = Pick<ResourceKind, 'kind' | 'group' | 'storage' | 'groupResource'>;

/** What is wrong with an update (`prepareForUpdate`), of the object or through a subresource. */
export function validateUpdate(kind: ResourceKind, updated: KubeObject, old: KubeObject, subresource?: UpdatedSubresource): FieldError[] {
  const errors: Errors = [];
  const { update, subresources } = kind.validation;
  validateCommonUpdate(updated, old, kind.namespaced, errors);
  if (subresource === undefined || subresource === 'scale') update(updated, old, errors);
  else if (subresources?.[subresource]) subresources[subresource](updated, old, errors);
  else validateMetadataUpdate(updated.metadata, old.metadata, errors);
  return errors;
}

/** What is accepted and most likely not meant: texts for `Warning` headers. `old`: absent at creation. */
export function warningsOf(
  kind: ResourceKind,
  object: KubeObject,
  old?: KubeObject,
  { sent = object, subresource }: { sent?: KubeObject; subresource?: UpdatedSubresource } = {},
): string[] {
  const warnings: string[] = [];
  if (subresource === undefined) kind.warn?.(object, old, warnings, sent);
  else if (subresource === 'status') kind.warnOfStatus?.(object, warnings);
  return warnings;
}

/** `Kind.group` as answers name it; a view of objects that are kept as another kind is answered for by that kind (both APIs of events). */
export function qualifiedKind({ kind, group, storage, groupResource }: NamedKind): string {
  const shown = storage === groupResource ? group : storage.slice(storage.indexOf('.') + 1 || storage.length);
  return shown === '' ? kind : `${kind}.${shown}`;
}

/** The 422 for what validation found. */
export function refuseInvalid(kind: NamedKind, name: string, errors: readonly FieldError[]): Failure {
  const refusal = invalid(qualifiedKind(kind), name, errors);
  if (!kind.kind.includes('.')) return refusal;
  // The group begins behind the kind, however many points that has which a client has sent.
  return { ...refusal, details: { ...refusal.details, group: kind.group, kind: kind.kind } };
}

/** A PUT without resourceVersion of a kind that does not allow overwriting. Upstream's storage refuses it, and names the resource where other checks name the kind. */
export function refuseUnconditionalUpdate(kind: ResourceKind, name: string): Failure {
  return invalid(kind.groupResource, name, [invalidValue('metadata.resourceVersion', 0, 'must be specified for an update')]);
}
