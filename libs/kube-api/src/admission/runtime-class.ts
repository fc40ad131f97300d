import type { KubeObject } from '#libs/kernel';
import { semanticEqual } from '../strategy/equality';
import type { Refusal } from './priority';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

/** A pod's runtime class must exist, and overhead is the class's to set. */
export function admitRuntimeClass(pod: KubeObject, find: (name: string) => KubeObject | undefined): KubeObject | Refusal {
  const { runtimeClassName, overhead } = pod.spec ?? {};
  const runtimeClass: Loose = runtimeClassName ? find(runtimeClassName) : undefined;
  if (runtimeClassName && !runtimeClass) return { refusal: `pod rejected: RuntimeClass "${runtimeClassName}" not found` };
  const fixed = runtimeClass?.overhead?.podFixed;
  if (!fixed) {
    const set = overhead && Object.keys(overhead).length > 0;
    return set ? { refusal: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead' } : pod;
  }
  if (overhead && !semanticEqual(overhead, fixed)) {
    return { refusal: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead" };
  }
  return overhead ? pod : { ...pod, spec: { ...pod.spec, overhead: fixed } };
}
