import type { KubeObject } from '#libs/kernel';
import { isSet } from '../../../validation/values';

/** Where classes were named before there was a field for it; it still goes before the field. */
export const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** The class of a volume or claim; empty where none is named. */
export function storageClassOf({ metadata, spec }: KubeObject): string {
  return metadata.annotations?.[classAnnotation] ?? (spec?.storageClassName as string | undefined) ?? '';
}

/** Whether a class is named, and be it the empty one. */
export function namesStorageClass({ metadata, spec }: KubeObject): boolean {
  return metadata.annotations?.[classAnnotation] !== undefined || isSet(spec?.storageClassName);
}
