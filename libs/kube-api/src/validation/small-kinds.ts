import type { KubeObject } from '#libs/kernel';
import { invalidValue } from '../status/field-error';
import { isDnsLabel, isDnsSubdomain, isQualifiedName } from './formats';
import { validateFinalizerDomains, validateMetadata, validateMetadataUpdate } from './metadata';
import type { Errors, Loose } from './values';
import { isSet, listOf, negativeText, validateTexts } from './values';

export function validateNamespace(namespace: KubeObject, errors: Errors): void {
  validateMetadata(namespace.metadata, { namespaced: false, name: isDnsLabel }, errors);
  validateNamespaceFinalizers(namespace, errors);
}

function validateNamespaceFinalizers(namespace: KubeObject, errors: Errors): void {
  const finalizers: string[] = listOf(namespace.spec?.finalizers);
  for (const [index, finalizer] of finalizers.entries())
    validateTexts(isQualifiedName(finalizer), finalizer, `spec.finalizers[${index}]`, errors);
  validateFinalizerDomains(finalizers, errors, 'spec.finalizers');
}

export function validateNamespaceUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateNamespace(updated, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
}

/** The phase follows the deletion. */
export function validateNamespaceStatusUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  const phase: string = updated.status?.phase ?? '';
  const deleted = Boolean(updated.metadata.deletionTimestamp);
  if (!deleted && phase !== 'Active')
    errors.push(invalidValue('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"));
  if (deleted && phase !== 'Terminating') {
    errors.push(invalidValue('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  }
}

export function validateNamespaceFinalize(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateNamespaceFinalizers(updated, errors);
}

/** Kinds of which nothing but the metadata is checked. */
export function validateNamed(namespaced: boolean): (object: KubeObject, errors: Errors) => void {
  return (object, errors) => validateMetadata(object.metadata, { namespaced, name: isDnsSubdomain }, errors);
}

function validateLeaseSpec(spec: Loose, errors: Errors): void {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (isSet(duration) && duration <= 0) errors.push(invalidValue('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (isSet(transitions) && transitions < 0) errors.push(invalidValue('spec.leaseTransitions', transitions, negativeText));
}

export function validateLease(lease: KubeObject, errors: Errors): void {
  validateMetadata(lease.metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  validateLeaseSpec(lease.spec ?? {}, errors);
}

export function validateLeaseUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  validateLeaseSpec(updated.spec ?? {}, errors);
}
