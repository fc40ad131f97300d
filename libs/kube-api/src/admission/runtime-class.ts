import type { KubeObject } from '#libs/kernel';
import { semanticEqual } from '../strategy/equality';
import { mergedTolerationsMax, mergeTolerations, type Toleration } from './merge-tolerations';
import type { Refusal } from './priority';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Loose = any;

const otherOverhead: Refusal = { refusal: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead" };
const ownOverhead: Refusal = { refusal: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead' };

/**
 * A new pod's runtime class must exist; it says what the pod costs beside its containers (overhead, the class's alone to set) and where
 * such pods can run (node selector and tolerations, added to the pod's own).
 */
export function admitRuntimeClass(pod: KubeObject, find: (name: string) => KubeObject | undefined): KubeObject | Refusal {
  const name: string | undefined = pod.spec?.runtimeClassName;
  const runtimeClass: Loose = name === undefined ? undefined : find(name);
  if (name !== undefined && !runtimeClass) return { refusal: `pod rejected: RuntimeClass ${JSON.stringify(name)} not found` };
  const spec: Loose = { ...pod.spec };
  const conflict = setOverhead(spec, runtimeClass?.overhead) ?? setScheduling(spec, runtimeClass?.scheduling);
  return conflict ?? { ...pod, spec };
}

/** Looked at after validation: overhead that no class stands behind. */
export function ownOverheadOf(pod: KubeObject, find: (name: string) => KubeObject | undefined): Refusal | undefined {
  const { runtimeClassName, overhead } = pod.spec ?? {};
  return overhead && !(runtimeClassName && find(runtimeClassName)?.overhead) ? ownOverhead : undefined;
}

function setOverhead(spec: Loose, overhead: Loose): Refusal | undefined {
  if (!overhead) return undefined;
  const fixed = overhead.podFixed ?? {};
  const own = spec.overhead ?? {};
  if (Object.keys(own).length > 0 && !semanticEqual(own, fixed, 'overhead')) return otherOverhead;
  if (Object.keys(fixed).length > 0) spec.overhead = fixed;
  return undefined;
}

function setScheduling(spec: Loose, scheduling: Loose): Refusal | undefined {
  if (!scheduling) return undefined;
  const selector: Record<string, string> = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(selector)) {
    const given = spec.nodeSelector && Object.hasOwn(spec.nodeSelector, key) ? (spec.nodeSelector[key] as string) : value;
    if (given !== value) {
      const place = `nodeSelector[${key}]`;
      return { refusal: `conflict: runtimeClass.scheduling.${place} = ${value}; pod.spec.${place} = ${given}` };
    }
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = { ...spec.nodeSelector, ...selector };
  const own: Toleration[] = spec.tolerations ?? [];
  const added: Toleration[] = scheduling.tolerations ?? [];
  if (own.length + added.length > mergedTolerationsMax)
    return { refusal: `pod rejected: with those of its RuntimeClass it has more than ${mergedTolerationsMax} tolerations` };
  const tolerations = mergeTolerations(own, added);
  if (tolerations.length > 0) spec.tolerations = tolerations;
  return undefined;
}
