import { fact, type Fact } from '#libs/events';
import type { KubeObject } from '#libs/kernel';

/** Of a pod that a controller is about to end: why, for its condition DisruptionTarget. */
export function disruptionMark({ metadata: { generation } }: KubeObject, reason: string, message: string): Fact {
  return fact('PodDisruptionTargeted', { reason, message, ...(generation === undefined ? {} : { observedGeneration: generation }) });
}
