import { canonicalQuantity, type KubeObject } from '#libs/kernel';
import { forbidden, invalidValue, required, unsupported } from '../../../status/field-error';
import { sortedMap } from '../../../status/go-value';
import { isDnsSubdomain } from '../../../validation/formats';
import { validateMetadata, validateMetadataUpdate } from '../../../validation/metadata';
import { quantityOf } from '../../../validation/resources';
import {
  entriesOf,
  isSet,
  listOf,
  notPositiveText,
  validateSupported,
  validateTexts,
  type Errors,
  type Loose,
} from '../../../validation/values';
import { validateNodeSelector } from '../pods/validation/affinity';
import { validateAccessModes, volumeModes } from '../volumes/access-modes';
import { validateSource } from './sources';

interface VolumeRules {
  /** The volume's name. */
  volume: string;
  /** It is part of an attachment, and has no claim, size or class of its own. */
  inline: boolean;
  /** Whether the class of its attributes is looked at. */
  attributesClass: boolean;
  /** Values of labels that were wrong before may stay. */
  allowInvalidValues?: boolean;
}

const inlineText = 'may not be specified in the context of inline volumes';

/** Upstream `ValidatePersistentVolumeSpec`. */
export function validateVolumeSpec(spec: Loose, rules: VolumeRules, field: string, errors: Errors): void {
  if (rules.inline) validateInline(spec, field, errors);
  if (listOf(spec.accessModes).length === 0) errors.push(required(`${field}.accessModes`));
  validateAccessModes(spec.accessModes, `${field}.accessModes`, errors);
  if (!rules.inline) validateCapacity(spec.capacity, `${field}.capacity`, errors);
  validateReclaimPolicy(spec.persistentVolumeReclaimPolicy, rules.inline, `${field}.persistentVolumeReclaimPolicy`, errors);
  validateNodeAffinity(spec.nodeAffinity, rules, `${field}.nodeAffinity`, errors);
  validateSource(spec, rules.volume, field, errors);
  if (spec.persistentVolumeReclaimPolicy === 'Recycle' && isSet(spec.hostPath) && isRoot(spec.hostPath.path ?? '')) {
    errors.push(forbidden(`${field}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  validateClassAndMode(spec, rules.inline, field, errors);
  if (rules.attributesClass) validateAttributesClass(spec, field, errors);
}

function validateInline(spec: Loose, field: string, errors: Errors): void {
  if (isSet(spec.claimRef)) errors.push(forbidden(`${field}.claimRef`, inlineText));
  if (entriesOf(spec.capacity).length > 0) errors.push(forbidden(`${field}.capacity`, inlineText));
  if (!isSet(spec.csi)) errors.push(required(`${field}.csi`, 'has to be specified in the context of inline volumes'));
}

/** Storage, and nothing else. */
function validateCapacity(capacity: Loose, field: string, errors: Errors): void {
  const entries = entriesOf(capacity);
  if (entries.length === 0) errors.push(required(field));
  if (entries.length > 1 || !isSet(capacity?.storage)) {
    const shown = isSet(capacity)
      ? sortedMap(Object.fromEntries(entries.map(([name, amount]) => [name, canonicalQuantity(amount)])))
      : null;
    errors.push(unsupported(field, shown, ['storage']));
  }
  for (const [name, amount] of entries) {
    validateBasicResource(amount, `${field}[${name}]`, errors);
    if (quantityOf(amount).nano <= 0n) errors.push(invalidValue(`${field}[${name}]`, canonicalQuantity(amount), notPositiveText));
  }
}

const giga = 1_000_000_000n;

/** Upstream `validateBasicResource`. */
export function validateBasicResource(amount: unknown, field: string, errors: Errors): void {
  // In whole units, as far as 64 bits hold them: one that is too large is negative there.
  const { nano } = quantityOf(amount);
  const whole = BigInt.asIntN(64, nano / giga + (nano % giga > 0n ? 1n : 0n));
  if (whole < 0n) errors.push({ type: 'FieldValueInvalid', field, body: `Invalid value: ${whole}: must be a valid resource quantity` });
}

function validateReclaimPolicy(policy: unknown, inline: boolean, field: string, errors: Errors): void {
  if (!policy) return;
  if (!inline) validateSupported(policy, ['Delete', 'Recycle', 'Retain'], field, errors);
  else if (policy !== 'Retain') errors.push(forbidden(field, 'may only be Retain in the context of inline volumes'));
}

function validateNodeAffinity(affinity: Loose, { inline, allowInvalidValues }: VolumeRules, field: string, errors: Errors): void {
  if (!isSet(affinity)) return;
  if (inline) errors.push(forbidden(field, inlineText));
  else if (isSet(affinity.required)) validateNodeSelector(affinity.required, `${field}.required`, errors, allowInvalidValues);
  else errors.push(required(`${field}.required`, 'must specify required node constraints'));
}

/** Whether a path, taken together, leads to the root. */
function isRoot(path: string): boolean {
  if (!path.startsWith('/')) return false;
  let depth = 0;
  for (const part of path.split('/')) {
    if (part === '..') depth = Math.max(0, depth - 1);
    else if (part !== '' && part !== '.') depth++;
  }
  return depth === 0;
}

function validateClassAndMode({ storageClassName, volumeMode }: Loose, inline: boolean, field: string, errors: Errors): void {
  if (storageClassName) {
    if (inline) errors.push(forbidden(`${field}.storageClassName`, inlineText));
    else validateTexts(isDnsSubdomain(storageClassName), storageClassName, `${field}.storageClassName`, errors);
  }
  if (!isSet(volumeMode)) return;
  if (!inline) validateSupported(volumeMode, volumeModes, `${field}.volumeMode`, errors);
  else if (volumeMode !== 'Filesystem') {
    errors.push(forbidden(`${field}.volumeMode`, 'may not specify volumeMode other than Filesystem in the context of inline volumes'));
  }
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: Loose, field: string, errors: Errors): void {
  if (!isSet(name)) return;
  if (name === '') errors.push(required(`${field}.volumeAttributesClassName`, 'an empty string is disallowed'));
  else validateTexts(isDnsSubdomain(name), name, `${field}.volumeAttributesClassName`, errors);
  if (!isSet(csi)) errors.push(required(`${field}.csi`, 'has to be specified when using volumeAttributesClassName'));
}

const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const mounted = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
];

/** Options of mounting in an annotation, which volumes of most kinds have no use for. */
export function validateMountOptions({ metadata, spec }: KubeObject, errors: Errors): void {
  if (mounted.some((source) => isSet(spec?.[source])) || !Object.hasOwn(metadata.annotations ?? {}, mountOptions)) return;
  errors.push(forbidden(`metadata.annotations.${mountOptions}`, 'may not specify mount options for this volume type'));
}

export function validateVolume(volume: KubeObject, errors: Errors, allowInvalidValues = false): void {
  const { name = '' } = volume.metadata;
  validateMetadata(volume.metadata, { namespaced: false, name: isDnsSubdomain }, errors);
  validateVolumeSpec(volume.spec ?? {}, { volume: name, inline: false, attributesClass: true, allowInvalidValues }, 'spec', errors);
}

export function validateNewVolume(volume: KubeObject, errors: Errors): void {
  validateVolume(volume, errors);
  validateMountOptions(volume, errors);
}

export function validateVolumeStatus(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!updated.metadata.resourceVersion) errors.push(required('resourceVersion'));
}
