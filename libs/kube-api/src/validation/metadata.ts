import type { KubeObject, ObjectMeta, OwnerReference } from '#libs/kernel';
import { forbidden, invalidValue, required, tooLong, unsupported } from '../status/field-error';
import { goQuote } from '../status/go-value';
import { validateLabelMap } from '../selectors/object-selector';
import type { CreateRule, KindValidation, UpdateRule } from '../kinds/behaviour';
import { asPrefix, byteLength, isDnsLabel, isDnsSubdomain, isPathSegmentName, isQualifiedName } from './formats';
import type { Errors } from './values';
import { isSet, listOf, validateImmutable, validateNonNegative, validateTexts } from './values';

export type NameFormat = (name: string) => string[];

/** Annotations of an object together: 256 KiB. */
const annotationBytesMax = 262144;
const managerBytesMax = 128;

export interface MetadataRules {
  namespaced: boolean;
  name: NameFormat;
  /** Finalizers must be a known name or have a domain: the kinds of the core groups. */
  qualifiedFinalizers?: boolean;
}

/** Upstream `ValidateObjectMeta`: everything about metadata that holds at any time. */
export function validateMetadata(meta: ObjectMeta, rules: MetadataRules, errors: Errors): void {
  if (meta.generateName) validateTexts(rules.name(asPrefix(meta.generateName)), meta.generateName, 'metadata.generateName', errors);
  if (!meta.name) errors.push(required('metadata.name', 'name or generateName is required'));
  else validateTexts(rules.name(meta.name), meta.name, 'metadata.name', errors);
  if (rules.namespaced) {
    if (!meta.namespace) errors.push(required('metadata.namespace'));
    else validateTexts(isDnsLabel(meta.namespace), meta.namespace, 'metadata.namespace', errors);
  } else if (meta.namespace) errors.push(forbidden('metadata.namespace', 'not allowed on this type'));
  validateNonNegative(meta.generation, 'metadata.generation', errors);
  errors.push(...validateLabelMap(meta.labels, 'metadata.labels'));
  validateAnnotations(meta.annotations, 'metadata.annotations', errors);
  validateOwners(meta.ownerReferences, errors);
  validateFinalizers(meta.finalizers, errors);
  validateManagedFields(meta, errors);
  if (rules.qualifiedFinalizers !== false) validateFinalizerDomains(meta.finalizers, errors);
}

/** Keys are qualified names in any case of letters. */
export function validateAnnotations(annotations: Record<string, string> | undefined, field: string, errors: Errors): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    validateTexts(isQualifiedName(key.toLowerCase()), key, field, errors);
    bytes += byteLength(key) + byteLength(value);
  }
  if (bytes > annotationBytesMax) errors.push(tooLong(field, annotationBytesMax));
}

function validateOwner(owner: OwnerReference, errors: Errors): void {
  const field = 'metadata.ownerReferences';
  // What has more parts than a group and a version has neither.
  const parts = (owner.apiVersion ?? '').split('/');
  const [group, version] = parts.length === 2 ? parts : ['', parts.length === 1 ? parts[0] : ''];
  if (!version) errors.push(invalidValue(`${field}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
  for (const key of ['kind', 'name', 'uid'] as const) {
    if (!owner[key]) errors.push(invalidValue(`${field}.${key}`, owner[key] ?? '', 'must not be empty'));
  }
  if (group === '' && version === 'v1' && owner.kind === 'Event') {
    errors.push(invalidValue(field, ownerValue(owner), '/v1, Kind=Event is disallowed from being an owner'));
  }
}

/** The reference in the order of its fields, as error texts show it. */
function ownerValue({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): object {
  const value: Record<string, unknown> = { apiVersion: apiVersion ?? '', kind: kind ?? '', name: name ?? '', uid: uid ?? '' };
  if (isSet(controller)) value.controller = controller;
  if (isSet(blockOwnerDeletion)) value.blockOwnerDeletion = blockOwnerDeletion;
  return value;
}

/** Each finding quotes all references, so there are no more of them than this; upstream sets no bound. */
const secondControllersMax = 10;

function validateOwners(owners: OwnerReference[] | undefined, errors: Errors): void {
  let controller = '';
  let found = 0;
  for (const owner of owners ?? []) {
    validateOwner(owner, errors);
    if (owner.controller !== true) continue;
    const current = `${owner.kind}/${owner.name}`;
    if (controller === '') controller = current;
    else if (++found <= secondControllersMax) {
      const text = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`;
      errors.push(invalidValue('metadata.ownerReferences', (owners ?? []).map(ownerValue), text));
    }
  }
}

function validateFinalizers(finalizers: string[] | undefined, errors: Errors): void {
  if (!finalizers || finalizers.length === 0) return;
  for (const finalizer of finalizers) validateTexts(isQualifiedName(finalizer), finalizer, 'metadata.finalizers', errors);
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(invalidValue('metadata.finalizers', finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
}

/** The finalizers that may go without a domain. */
const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function validateFinalizerDomains(finalizers: string[] | undefined, errors: Errors): void {
  for (const [index, finalizer] of (finalizers ?? []).entries())
    validateFinalizerDomain(finalizer, `metadata.finalizers[${index}]`, errors);
}

export function validateFinalizerDomain(finalizer: string, field: string, errors: Errors): void {
  if (finalizer.includes('/') || standardFinalizers.has(finalizer)) return;
  errors.push(invalidValue(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'));
}

function validateManagedFields(meta: ObjectMeta, errors: Errors): void {
  for (const [index, entry] of listOf(meta.managedFields).entries()) {
    const field = `metadata.managedFields[${index}]`;
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(invalidValue(`${field}.operation`, entry.operation ?? '', 'must be `Apply` or `Update`'));
    }
    if (entry.fieldsType && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(`${field}.fieldsType`, entry.fieldsType, 'must be `FieldsV1`'));
    }
    validateFieldManager(entry.manager ?? '', `${field}.manager`, errors);
    if (byteLength(entry.subresource ?? '') > 256) errors.push(tooLong(`${field}.subresource`, 256));
  }
}

const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** At most 128 bytes, all printable. */
export function validateFieldManager(manager: string, field: string, errors: Errors): void {
  if (byteLength(manager) > managerBytesMax) errors.push(tooLong(field, managerBytesMax));
  const found = unprintable.exec(manager);
  if (!found) return;
  const code = (found[0].codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  errors.push(invalidValue(field, manager, `invalid character U+${code} (at position ${byteLength(manager.slice(0, found.index))})`));
}

/** What an update may not do, of kinds of the core groups: their finalizers are a known name or have a domain. */
export function validateMetadataUpdate(updated: ObjectMeta, old: ObjectMeta, errors: Errors): void {
  validateAnyMetadataUpdate(updated, old, errors);
  validateFinalizerDomains(updated.finalizers, errors);
}

/** Upstream `ValidateObjectMetaUpdate` of apimachinery: what an update may not do, whatever the kind. */
export function validateAnyMetadataUpdate(updated: ObjectMeta, old: ObjectMeta, errors: Errors): void {
  if (old.deletionTimestamp) validateNoNewFinalizers(updated.finalizers, old.finalizers, errors);
  if ((updated.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue('metadata.generation', updated.generation ?? 0, 'must not be decremented'));
  }
  for (const field of ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    validateImmutable(updated[field], old[field], `metadata.${field}`, errors);
  }
  errors.push(...validateLabelMap(updated.labels, 'metadata.labels'));
  validateAnnotations(updated.annotations, 'metadata.annotations', errors);
  validateOwners(updated.ownerReferences, errors);
  validateManagedFields(updated, errors);
}

function validateNoNewFinalizers(updated: string[] | undefined, old: string[] | undefined, errors: Errors): void {
  const before = new Set(old);
  const added = [...new Set(updated)].filter((finalizer) => !before.has(finalizer)).sort();
  if (added.length === 0) return;
  const shown = `[]string{${added.map(goQuote).join(', ')}}`;
  errors.push(
    forbidden('metadata.finalizers', `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`),
  );
}

/**
 * What upstream checks of every update, whatever the kind, before the kind's own rules run (which check most of it again: its
 * causes then name the same finding twice).
 */
export function validateCommonUpdate(updated: KubeObject, old: KubeObject, namespaced: boolean, errors: Errors): void {
  validateMetadata(updated.metadata, { namespaced, name: isPathSegmentName, qualifiedFinalizers: false }, errors);
  validateAnyMetadataUpdate(updated.metadata, old.metadata, errors);
}

/** `metav1.Condition`, as newer kinds use it. */
export function validateConditions(conditions: unknown, field: string, errors: Errors): void {
  const seen = new Set<string>();
  for (const [index, condition] of listOf(conditions).entries()) {
    const at = `${field}[${index}]`;
    const type: string = condition.type ?? '';
    if (seen.has(type)) errors.push({ type: 'FieldValueDuplicate', field: `${at}.type`, body: `Duplicate value: ${goQuote(type)}` });
    seen.add(type);
    validateTexts(isQualifiedName(type), type, `${at}.type`, errors);
    const statuses = ['False', 'True', 'Unknown'];
    if (!statuses.includes(condition.status)) errors.push(unsupported(`${at}.status`, condition.status ?? '', statuses));
    if (condition.observedGeneration < 0) {
      errors.push(invalidValue(`${at}.observedGeneration`, condition.observedGeneration, 'must be greater than or equal to zero'));
    }
    if (!condition.lastTransitionTime) errors.push(required(`${at}.lastTransitionTime`));
    validateConditionReason(condition.reason ?? '', `${at}.reason`, errors);
    if (byteLength(condition.message ?? '') > 32768) errors.push(tooLong(`${at}.message`, 32768));
  }
}

function validateConditionReason(reason: string, field: string, errors: Errors): void {
  if (reason === '') {
    errors.push(required(field));
    return;
  }
  const expression = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
  if (!new RegExp(`^${expression}$`).test(reason)) {
    const text =
      "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
    const examples = "'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', ";
    errors.push(invalidValue(field, reason, `${text} (e.g. ${examples}regex used for validation is '${expression}')`));
  }
  if (byteLength(reason) > 1024) errors.push(tooLong(field, 1024));
}

/** What is checked of kinds about which nothing is said: of an update that the object is still itself. */
export const nameOnly: KindValidation = {
  create: () => undefined,
  update: (updated, old, errors) => validateMetadataUpdate(updated.metadata, old.metadata, errors),
};

/** Of some kinds nothing but the metadata is checked. */
export function validateNamed(namespaced: boolean): (object: KubeObject, errors: Errors) => void {
  return (object, errors) => validateMetadata(object.metadata, { namespaced, name: isDnsSubdomain }, errors);
}

/** An update is checked as a creation is, and then for what may not change. */
export function bothRules(create: CreateRule, update: UpdateRule): UpdateRule {
  return (updated, old, errors) => {
    create(updated, errors);
    update(updated, old, errors);
  };
}
