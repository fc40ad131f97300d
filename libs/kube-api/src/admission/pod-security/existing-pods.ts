import type { KubeObject } from '#libs/kernel';
import type { PodSpec } from './checks/check';
import { reasonsText, violationsOf } from './evaluate';
import { levelText, type LevelVersion } from './policy';

/** Pods that are looked at, at most. */
const podsMax = 3_000;

/** What whoever makes a namespace stricter is told of the pods that are there: those that break the same rules are told together. */
export function existingPodsWarnings(namespace: string, pods: readonly KubeObject[], enforce: LevelVersion): string[] {
  const looked = eachControllerFirst(pods).slice(0, podsMax);
  const byReasons = new Map<string, string[]>();
  for (const { metadata, spec } of looked) {
    const violations = violationsOf({ annotations: metadata.annotations ?? {}, spec: (spec ?? {}) as PodSpec }, enforce);
    if (violations.length === 0) continue;
    const reasons = reasonsText(violations);
    byReasons.set(reasons, [...(byReasons.get(reasons) ?? []), metadata.name]);
  }
  const warnings: string[] = [];
  if (looked.length < pods.length)
    warnings.push(`new PodSecurity enforce level only checked against the first ${looked.length} of ${pods.length} existing pods`);
  if (byReasons.size > 0)
    warnings.push(`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${levelText(enforce)}"`);
  const told = [...byReasons].map(([reasons, names]) => `${namesText(names.sort())}: ${reasons}`);
  return [...warnings, ...told.sort()];
}

function namesText([first, ...others]: readonly string[]): string {
  if (others.length === 0) return first as string;
  return `${first} (and ${others.length} other ${others.length === 1 ? 'pod' : 'pods'})`;
}

/** One pod of each controller before the others of the same. */
function eachControllerFirst(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const others: KubeObject[] = [];
  const first = pods.filter((pod) => {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (uid === undefined) return true;
    if (seen.has(uid)) others.push(pod);
    else {
      seen.add(uid);
      return true;
    }
    return false;
  });
  return [...first, ...others];
}
