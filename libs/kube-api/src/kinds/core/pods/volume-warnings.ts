import { goQuote } from '../../../status/go-value';
import { isFractional } from '../../../validation/resources';
import { isSet, listOf, type Loose } from '../../../validation/values';
import { warnAboutPaths } from './path-warnings';

/** Sources of volumes that have no driver any more, by the name in texts. */
const goneVolumes: readonly (readonly [key: string, shown: string, since: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function warnAboutVolumes(volumes: unknown, field: string, warnings: string[]): void {
  const list = listOf(volumes);
  for (const [index, volume] of list.entries()) {
    for (const [key, shown, since] of goneVolumes) if (isSet(volume[key])) warnings.push(`${field}[${index}].${shown}: ${since}`);
    const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
    if (claim) warnAboutClaim(claim, `${field}[${index}].ephemeral.volumeClaimTemplate.spec`, warnings);
  }
  for (const volume of list) warnAboutPaths(volume, warnings);
}

/** Upstream `GetWarningsForPersistentVolumeClaimSpec`. */
export function warnAboutClaim(spec: Loose, field: string, warnings: string[]): void {
  for (const part of ['requests', 'limits']) {
    const storage = spec.resources?.[part]?.storage;
    if (!isSet(storage) || !isFractional(storage)) continue;
    warnings.push(`${field}.resources.${part}[storage]: fractional byte value ${goQuote(String(storage))} is invalid, must be an integer`);
  }
}
