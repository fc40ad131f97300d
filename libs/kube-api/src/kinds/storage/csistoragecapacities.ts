import { canonicalQuantity, type KubeObject } from '#libs/kernel';
import { nameOf, rowOf } from '../../printing/cell';
import { columnsAfterName } from '../../printing/columns';
import { validateObjectSelector } from '../../selectors/object-selector';
import { invalidValue } from '../../status/field-error';
import { semanticEqual } from '../../strategy/equality';
import { isDnsSubdomain } from '../../validation/formats';
import { goSelector } from '../../validation/go-shapes';
import { validateMetadata, validateMetadataUpdate } from '../../validation/metadata';
import { oldNodeLabels, warnAboutNodeTerm } from '../../validation/old-node-labels';
import { quantityOf } from '../../validation/resources';
import { immutableText, isSet, negativeText, validateImmutable, validateTexts, type Errors } from '../../validation/values';
import type { KindDescription } from '../behaviour';

function validateCapacity(object: KubeObject, allowInvalidValues: boolean, errors: Errors): void {
  const { metadata, nodeTopology, storageClassName = '', capacity } = object as KubeObject & { storageClassName?: string };
  validateMetadata(metadata, { namespaced: true, name: isDnsSubdomain }, errors);
  errors.push(...validateObjectSelector(nodeTopology, { allowInvalidValues }, 'nodeTopology'));
  validateTexts(isDnsSubdomain(storageClassName), storageClassName, 'storageClassName', errors);
  if (isSet(capacity) && quantityOf(capacity).nano < 0n) errors.push(invalidValue('capacity', canonicalQuantity(capacity), negativeText));
}

/** Where the capacity is and of which class is for life. */
function validateCapacityUpdate(updated: KubeObject, old: KubeObject, errors: Errors): void {
  validateCapacity(updated, validateObjectSelector(old.nodeTopology, {}, '').length > 0, errors);
  validateMetadataUpdate(updated.metadata, old.metadata, errors);
  if (!semanticEqual(updated.nodeTopology, old.nodeTopology)) {
    const shown = isSet(updated.nodeTopology) ? goSelector(updated.nodeTopology) : null;
    errors.push(invalidValue('nodeTopology', shown, immutableText));
  }
  validateImmutable(updated.storageClassName ?? '', old.storageClassName ?? '', 'storageClassName', errors);
}

function warnAboutCapacity({ nodeTopology }: KubeObject, warnings: string[]): void {
  warnAboutNodeTerm(nodeTopology, false, 'nodeTopology', warnings);
  for (const key of Object.keys(nodeTopology?.matchLabels ?? {})) {
    if (Object.hasOwn(oldNodeLabels, key)) warnings.push(`nodeTopology.matchLabels.${key}: ${oldNodeLabels[key]}`);
  }
}

export const csistoragecapacities: KindDescription = {
  name: 'csistoragecapacities.storage.k8s.io',
  served: true,
  conditionalUpdateOnly: true,
  formerVersions: ['storage.k8s.io/v1beta1'],
  validation: { create: (object, errors) => validateCapacity(object, false, errors), update: validateCapacityUpdate },
  warn: (object, _old, warnings) => warnAboutCapacity(object, warnings),
  get columns() {
    return columnsAfterName(
      [
        'StorageClassName',
        'string',
        'storageClassName represents the name of the StorageClass that the reported capacity applies to. It must meet the same requirements as the name of a StorageClass object (non-empty, DNS subdomain). If that object no longer exists, the CSIStorageCapacity object is obsolete and should be removed by its creator. This field is immutable.',
      ],
      [
        'Capacity',
        'string',
        'capacity is the value reported by the CSI driver in its GetCapacityResponse for a GetCapacityRequest with topology and parameters that match the previous fields.\n\nThe semantic is currently (CSI spec 1.2) defined as: The available capacity, in bytes, of the storage that can be used to provision volumes. If not set, that information is currently unavailable.',
      ],
    );
  },
  row: rowOf((object) => [
    nameOf(object),
    object.storageClassName ?? '',
    isSet(object.capacity) ? (canonicalQuantity(object.capacity) ?? '') : '<unset>',
  ]),
};
