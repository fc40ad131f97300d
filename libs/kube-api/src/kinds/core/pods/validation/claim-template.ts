import { canonicalQuantity } from '#libs/kernel';
import { validateLabelMap, validateObjectSelector } from '../../../../selectors/object-selector';
import { forbidden, invalidValue, required } from '../../../../status/field-error';
import { isDnsSubdomain } from '../../../../validation/formats';
import { validateAnnotations } from '../../../../validation/metadata';
import { quantityOf, validateResourceValue } from '../../../../validation/resources';
import {
  isSet,
  listOf,
  notPositiveText,
  validateDnsLabel,
  validateSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../../validation/values';
import { validateAccessModes, volumeModes } from '../../volumes/access-modes';

/** Of the metadata in the order of its struct; labels and annotations alone may be set. */
const refusedMetadata = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** Metadata of a template of claims (upstream `ValidateTemplateObjectMeta`), whose paths name fields as Go does but for the first letter. */
export function validateTemplateMetadata(metadata: Loose, field: string, errors: Errors): void {
  validateAnnotations(metadata.annotations ?? undefined, `${field}.annotations`, errors);
  errors.push(...validateLabelMap(metadata.labels, `${field}.labels`));
  for (const key of refusedMetadata) {
    if (metadata[key]) errors.push(forbidden(`${field}.${key === 'uid' ? 'uID' : key}`, 'cannot be set'));
  }
}

/** The claim that an ephemeral volume makes for its pod (upstream `ValidatePersistentVolumeClaimTemplate`). */
export function validateClaimTemplate(template: Loose, field: string, errors: Errors): void {
  validateTemplateMetadata(template.metadata ?? {}, `${field}.metadata`, errors);
  validateClaimSpec(template.spec ?? {}, `${field}.spec`, errors);
}

/** What a claim that is there already may keep, though a new one may not have it. */
export interface ClaimRules {
  /** Values of labels that are none. */
  allowInvalidValues?: boolean;
  /** Groups of data sources that are no names of groups. */
  allowInvalidGroups?: boolean;
}

/** Upstream `ValidatePersistentVolumeClaimSpec`. */
export function validateClaimSpec(spec: Loose, field: string, errors: Errors, rules: ClaimRules = {}): void {
  const modes = listOf(spec.accessModes);
  if (modes.length === 0) errors.push(required(`${field}.accessModes`, 'at least 1 access mode is required'));
  if (isSet(spec.selector))
    errors.push(...validateObjectSelector(spec.selector, { allowInvalidValues: rules.allowInvalidValues }, `${field}.selector`));
  validateAccessModes(modes, `${field}.accessModes`, errors);
  const storage = spec.resources?.requests?.storage;
  const at = `${field}.resources[storage]`;
  if (!isSet(storage)) errors.push(required(at));
  else if (quantityOf(storage).nano <= 0n) errors.push(invalidValue(at, canonicalQuantity(storage), notPositiveText));
  else validateResourceValue('storage', storage, at, errors);
  validateClassName(spec.storageClassName, `${field}.storageClassName`, errors);
  if (isSet(spec.volumeMode)) validateSupported(spec.volumeMode, volumeModes, `${field}.volumeMode`, errors);
  validateDataSources(spec, rules, field, errors);
  validateClassName(spec.volumeAttributesClassName, `${field}.volumeAttributesClassName`, errors);
}

function validateDataSources({ dataSource, dataSourceRef }: Loose, rules: ClaimRules, field: string, errors: Errors): void {
  if (isSet(dataSource)) validateDataSource(dataSource, rules, `${field}.dataSource`, errors);
  if (isSet(dataSourceRef)) {
    validateDataSource(dataSourceRef, rules, `${field}.dataSourceRef`, errors);
    const { namespace } = dataSourceRef;
    if (namespace) validateDnsLabel(namespace, `${field}.dataSourceRef.namespace`, errors);
  }
  if (!isSet(dataSource) || !isSet(dataSourceRef)) return;
  // Upstream shows the path that is meant where others show a value; it has nothing that is shown.
  const refuse = (text: string) => errors.push(invalidValue(field, {}, text));
  if (dataSourceRef.namespace) refuse('may not be specified when dataSourceRef.namespace is specified');
  else if (['apiGroup', 'kind', 'name'].some((key) => (dataSource[key] ?? null) !== (dataSourceRef[key] ?? null)))
    refuse('must match dataSourceRef');
}

function validateDataSource({ apiGroup, kind = '', name = '' }: Loose, rules: ClaimRules, field: string, errors: Errors): void {
  if (name === '') errors.push(required(`${field}.name`));
  if (kind === '') errors.push(required(`${field}.kind`));
  if (apiGroup) {
    if (!rules.allowInvalidGroups) validateTexts(isDnsSubdomain(apiGroup), apiGroup, `${field}.apiGroup`, errors);
  } else if (kind !== 'PersistentVolumeClaim') {
    errors.push(invalidValue(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
}

function validateClassName(name: string | undefined | null, field: string, errors: Errors): void {
  if (name) validateTexts(isDnsSubdomain(name), name, field, errors);
}
