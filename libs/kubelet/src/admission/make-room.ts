import type { KubeObject } from '#libs/kernel';
import { lookAtAdmission } from './admit';
import { chooseVictims } from './choose-victims';
import { isCriticalPod } from './critical-pods';
import type { Rejection } from './rejection';

/** What a kubelet answers to a pod that is bound to its node. */
export interface Admission {
  /** Absent: it takes the pod. */
  rejection?: Rejection;
}

const recovery = 'Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt';

/** What the kubelet of a node does about a pod that is bound to it: a critical pod is told when nobody could make room for it. */
export function admissionOf(pod: KubeObject, node: KubeObject, others: readonly KubeObject[]): Admission {
  const { rejection, shortages } = lookAtAdmission(pod, node, others);
  if (!rejection || !shortages || !isCriticalPod(pod)) return { rejection };
  const choice = chooseVictims(pod, others, shortages);
  // Others are not made to give way: the pod is refused like one that is not critical.
  if ('victims' in choice) return { rejection };
  return { rejection: { reason: 'UnexpectedAdmissionError', message: `${recovery}: ${choice.error}` } };
}
