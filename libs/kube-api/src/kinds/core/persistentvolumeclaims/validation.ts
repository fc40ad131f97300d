import type { KubeObject } from '#libs/kernel';
import { forbidden, invalidValue, required, unsupported } from '../../../status/field-error';
import { validateObjectSelector } from '../../../selectors/object-selector';
import { semanticEqual } from '../../../strategy/equality';
import { isDnsSubdomain, isQualifiedName } from '../../../validation/formats';
import { goShape } from '../../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { isNativeResource, quantityOf, validateResourceValue } from '../../../validation/resources';
import { jsonDiff } from '../../../validation/text-diff';
import {
  entriesOf,
  immutableText,
  isSet,
  listOf,
  validateImmutable,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validateBasicResource } from '../persistentvolumes/validation';
import { validateClaimSpec, type ClaimRules } from '../pods/validation/claim-template';
import { classAnnotation } from '../volumes/storage-class';

export function validateClaim(claim: KubeObject, errors: Errors, rules: ClaimRules = {}): void {
  validateMetadata(claim.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateClaimSpec(claim.spec ?? {}, 'spec', errors, rules);
}

/** What was wrong before may stay. Upstream checks the whole twice at an update. */
export function validateClaimUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const before: Loose = old.spec ?? {};
  const rules: ClaimRules = {
    allowInvalidGroups: isSet(before.dataSource?.apiGroup) || isSet(before.dataSourceRef?.apiGroup),
    allowInvalidValues: validateObjectSelector(before.selector, {}, '').length > 0,
  };
  validateClaim(updated, errors, rules);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateClaim(updated, errors, rules);
  validateKept(updated, old, errors);
}

/** A claim is for life, but for its volume, which is named once, and for what a bound one may ask more of. */
function validateKept(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const now: Loose = { ...updated.spec };
  const was: Loose = { ...old.spec };
  if (!was.volumeName) was.volumeName = now.volumeName;
  keepClass(updated, old, now, errors);
  if (updated.status?.phase === 'Bound') {
    const requests = now.resources?.requests;
    // Go's map of a claim without any request has no amount to compare, but one that is written gives it a zero.
    if (isSet(requests)) {
      const storage = was.resources?.requests?.storage ?? '0';
      now.resources = { ...now.resources, requests: { ...requests, storage } };
    }
    now.volumeAttributesClassName = was.volumeAttributesClassName;
  }
  if (!semanticEqual(now, was)) {
    const diff = jsonDiff(goShape('PersistentVolumeClaimSpec', was), goShape('PersistentVolumeClaimSpec', now));
    const text = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', `${text}\n${diff}`));
  }
  validateSize(updated, old, errors);
  validateImmutable(updated.spec?.volumeMode, old.spec?.volumeMode, 'volumeMode', errors);
  validateAttributesClassKept(updated.spec?.volumeAttributesClassName, old, errors);
}

/** A claim that was made without a class may be given one; one that names it in the annotation may name it in the field. */
function keepClass(updated: KubeObject, old: KubeObject, now: Loose, errors: Errors): void {
  const annotation = old.metadata.annotations?.[classAnnotation];
  const newAnnotation = updated.metadata.annotations?.[classAnnotation];
  const isNamed = isSet(now.storageClassName) && !isSet(old.spec?.storageClassName);
  if (isNamed && annotation !== undefined && now.storageClassName === annotation && (newAnnotation ?? annotation) === annotation) {
    delete now.storageClassName;
    return;
  }
  if ((newAnnotation ?? '') !== (annotation ?? '')) {
    errors.push(invalidValue(`metadata.annotations.${classAnnotation}`, newAnnotation ?? '', immutableText));
  }
  if (isNamed && (annotation === undefined || annotation === now.storageClassName)) delete now.storageClassName;
}

/** Back from growth that failed, but not below what there is. */
function validateSize(updated: KubeObject, old: KubeObject, errors: Errors): void {
  const sizeOf = (amounts: Loose): bigint => quantityOf(amounts?.storage).nano;
  const size = sizeOf(updated.spec?.resources?.requests);
  if (size >= sizeOf(old.spec?.resources?.requests) || size > sizeOf(old.status?.capacity)) return;
  errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
}

function validateAttributesClassKept(name: string | undefined, old: KubeObject, errors: Errors): void {
  const current = old.status?.currentVolumeAttributesClassName;
  if (semanticEqual(name, old.spec?.volumeAttributesClassName) || !isSet(current)) return;
  const text = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (!isSet(name)) errors.push(forbidden('spec.volumeAttributesClassName', `update to nil ${text}`));
  else if (name === '') errors.push(forbidden('spec.volumeAttributesClassName', `update to empty string ${text}`));
}

const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function validateClaimStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!updated.metadata.resourceVersion) errors.push(required('resourceVersion'));
  if (listOf(updated.spec?.accessModes).length === 0) errors.push(required('Spec.accessModes'));
  const status: Loose = updated.status ?? {};
  for (const [name, amount] of entriesOf(status.capacity)) validateBasicResource(amount, `status.capacity[${name}]`, errors);
  for (const [name, resize] of entriesOf(status.allocatedResourceStatuses)) {
    const field = 'status.allocatedResourceStatuses';
    validateResourceKey(name, field, errors);
    if (!resizeStatuses.includes(resize)) errors.push(unsupported(field, name, resizeStatuses));
  }
  for (const [name, amount] of entriesOf(status.allocatedResources)) {
    const field = 'status.allocatedResources';
    if (!validateResourceKey(name, field, errors)) continue;
    const found = errors.length;
    validateBasicResource(amount, `${field}[${name}]`, errors);
    if (errors.length === found) validateResourceValue('storage', amount, `${field}[${name}]`, errors);
  }
}

/** Storage, or a resource of somebody else's domain. */
function validateResourceKey(name: string, field: string, errors: Errors): boolean {
  const texts = isQualifiedName(name);
  validateTexts(texts, name, field, errors);
  if (texts.length > 0) return false;
  if (!isNativeResource(name) || name === 'storage') return true;
  errors.push(unsupported(field, name, ['storage']));
  return false;
}
