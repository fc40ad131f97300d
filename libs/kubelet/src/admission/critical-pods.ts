import { configMirror, isStaticPod } from '#libs/cluster-state';
import type { KubeObject } from '#libs/kernel';

/** The least priority of the classes that Kubernetes brings along (`system-cluster-critical`). */
const systemCriticalPriority = 2_000_000_000;

/** A pod that its node cannot do without (upstream `IsCriticalPod`). */
export function isCriticalPod(pod: KubeObject): boolean {
  const isMirror = pod.metadata.annotations?.[configMirror] !== undefined;
  return isStaticPod(pod) || isMirror || priorityOf(pod) >= systemCriticalPriority;
}

/** Whether a critical pod may take the room of another (upstream `Preemptable`). */
export function mayPreempt(preemptor: KubeObject, victim: KubeObject): boolean {
  return (isCriticalPod(preemptor) && !isCriticalPod(victim)) || priorityOf(preemptor) > priorityOf(victim);
}

function priorityOf({ spec }: KubeObject): number {
  return (spec?.priority as number | undefined) ?? 0;
}
