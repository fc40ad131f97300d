import { canonicalQuantity, formatTime, type KubeObject } from '#libs/kernel';
import { withoutProtection } from '../../../admission/storage';
import { age, nameOf, rowOf, type Loose } from '../../../printing/cell';
import { statusUpdate } from '../../../strategy/status-update';
import { warnAboutNodeTerm } from '../../../validation/old-node-labels';
import { isSet, listOf } from '../../../validation/values';
import type { KindDescription } from '../../behaviour';
import { accessModesText } from '../volumes/access-modes';
import { classAnnotation, storageClassOf } from '../volumes/storage-class';
import { setVolumeDefaults } from './defaults';
import { validateNewVolume, validateVolumeStatus } from './validation';
import { validateVolumeUpdate } from './validation-of-updates';

/** A change of phase is dated, unless the writer has dated it. */
function updateVolumeStatus(updated: KubeObject, old: KubeObject, now: number): KubeObject {
  const result = statusUpdate(updated, old);
  const { phase = '', lastPhaseTransitionTime: time }: Loose = result.status ?? {};
  const { phase: before = '', lastPhaseTransitionTime: timeBefore }: Loose = old.status ?? {};
  const dated = (at: unknown): KubeObject => ({ ...result, status: { ...result.status, lastPhaseTransitionTime: at } });
  if (phase === before) return isSet(time) || !isSet(timeBefore) ? result : dated(timeBefore);
  return !isSet(time) || time === timeBefore ? dated(formatTime(now)) : result;
}

const oldAnnotations: readonly (readonly [string, string])[] = [
  [classAnnotation, 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

/** Sources that have no driver any more, by the name in texts. */
const goneSources: readonly (readonly [key: string, shown: string, since: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warnAboutVolume({ metadata, spec = {} }: KubeObject, warnings: string[]): void {
  for (const [key, text] of oldAnnotations) {
    if (Object.hasOwn(metadata.annotations ?? {}, key)) warnings.push(`metadata.annotations[${key}]: ${text}`);
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const text = 'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    warnings.push(`spec.persistentVolumeReclaimPolicy: ${text}`);
  }
  for (const [index, term] of listOf(spec.nodeAffinity?.required?.nodeSelectorTerms).entries()) {
    warnAboutNodeTerm(term, false, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`, warnings);
  }
  for (const [key, shown, since] of goneSources) if (isSet(spec[key])) warnings.push(`spec.${shown}: ${since}`);
}

export const persistentvolumes: KindDescription = {
  name: 'persistentvolumes',
  served: true,
  deletionReturnsObject: true,
  setDefaults: setVolumeDefaults,
  strategy: {
    create: (volume, { now }) => ({ ...volume, status: { phase: 'Pending', lastPhaseTransitionTime: formatTime(now) } }),
    asAsked: withoutProtection('persistentvolumes'),
    subresources: { status: updateVolumeStatus },
  },
  validation: { create: validateNewVolume, update: validateVolumeUpdate, subresources: { status: validateVolumeStatus } },
  warn: (volume, _old, warnings) => warnAboutVolume(volume, warnings),
  row: rowOf((volume, now) => {
    const { metadata, spec = {}, status }: Loose = volume;
    const claim = spec.claimRef;
    return [
      nameOf(volume),
      canonicalQuantity(spec.capacity?.storage ?? '0') ?? '0',
      accessModesText(spec.accessModes),
      spec.persistentVolumeReclaimPolicy ?? '',
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
      isSet(claim) ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      storageClassOf(volume),
      spec.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
      age(volume, now),
      spec.volumeMode ?? '<unset>',
    ];
  }),
};
