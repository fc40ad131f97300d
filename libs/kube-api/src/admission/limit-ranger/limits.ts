import type { JsonObject, KubeObject } from '#libs/kernel';

/** One entry of a LimitRange. */
export interface Limit {
  type: 'Container' | 'Pod' | 'PersistentVolumeClaim';
  min?: JsonObject;
  max?: JsonObject;
  default?: JsonObject;
  defaultRequest?: JsonObject;
  maxLimitRequestRatio?: JsonObject;
}

export function limitsOf(limitRange: KubeObject): readonly Limit[] {
  return (limitRange.spec?.limits ?? []) as unknown as readonly Limit[];
}
