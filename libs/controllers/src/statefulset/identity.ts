import type { KubeObject } from '#libs/kernel';

export const statefulSets = 'statefulsets.apps';
export const podNameLabel = 'statefulset.kubernetes.io/pod-name';
export const podIndexLabel = 'apps.kubernetes.io/pod-index';
export const podRevisionLabel = 'controller-revision-hash';

const memberName = /^(?<set>.*)-(?<ordinal>\d+)$/;
const ordinalMax = 0x7fff_ffff;

/** The number at the end of a pod's name, where the rest is its set's; undefined: it is no member by its name. */
export function ordinalOf(set: KubeObject, pod: KubeObject): number | undefined {
  const found = memberName.exec(pod.metadata.name)?.groups;
  const ordinal = Number(found?.ordinal);
  return found?.set === set.metadata.name && ordinal <= ordinalMax ? ordinal : undefined;
}

export function startOf(set: KubeObject): number {
  return ((set.spec?.ordinals as { start?: number } | undefined)?.start ?? 0) as number;
}

export function replicasOf(set: KubeObject): number {
  return (set.spec?.replicas as number | undefined) ?? 1;
}

/** Whether a pod of this ordinal is one that the set asks for. */
export function isInRange(set: KubeObject, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);
}

export function podName(set: KubeObject, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

export function podRevision(pod: KubeObject): string | undefined {
  return pod.metadata.labels?.[podRevisionLabel];
}

/** What a pod's name and place in its set are, for others to select it by. */
export function identityLabels(set: KubeObject, ordinal: number): Record<string, string> {
  return { [podNameLabel]: podName(set, ordinal), [podIndexLabel]: String(ordinal) };
}
