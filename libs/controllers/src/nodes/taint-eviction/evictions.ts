import { toleratesTaint, type Toleration } from '#libs/scheduling';
import type { Cause } from '#libs/control-loop';
import type { KubeObject } from '#libs/kernel';
import { taintsOf, type Taint } from '../lifecycle/no-schedule-taints';

/** A pod that is to leave its node for a NoExecute taint. */
export interface ScheduledEviction {
  /** From when on tolerationSeconds count, ms. */
  since: number;
  /** When it goes, ms. */
  at: number;
  cause?: Cause;
  /** It has been told to go. */
  isFired?: boolean;
}

export function noExecuteTaints(node: KubeObject): Taint[] {
  return taintsOf(node).filter(({ effect }) => effect === 'NoExecute');
}

/** How long the pod may stay, ms: the shortest of the tolerations that are used counts; Infinity: for ever. */
function toleration(pod: KubeObject, taints: readonly Taint[]): { ms: number; isTolerated: boolean } {
  const tolerations = (pod.spec?.tolerations ?? []) as unknown as Toleration[];
  let ms = Infinity;
  for (const taint of taints) {
    const used = tolerations.find((candidate) => toleratesTaint(candidate, taint));
    if (!used) return { ms: 0, isTolerated: false };
    if (used.tolerationSeconds !== undefined) ms = Math.min(ms, Math.max(0, used.tolerationSeconds) * 1_000);
  }
  return { ms, isTolerated: true };
}

/** What a look at a pod makes of its eviction. */
export interface Rescheduled {
  eviction?: ScheduledEviction;
  /** One that was to come is called off, and that is told; there may be a new one. */
  isCancelled: boolean;
}

/**
 * A look at a pod on a node with NoExecute taints (upstream `processPodOnNode`). What is on its way stays as it is, also where a further taint is
 * tolerated for a shorter time.
 * @param old what was to come until now; not what has been told to go
 * @param now ms
 * @param cause what led to the look
 */
export function rescheduled(
  pod: KubeObject,
  taints: readonly Taint[],
  old: ScheduledEviction | undefined,
  now: number,
  cause: Cause | undefined,
): Rescheduled {
  const { ms, isTolerated } = toleration(pod, taints);
  if (isTolerated && ms === Infinity) return { isCancelled: old !== undefined };
  if (isTolerated && old && old.since < now) return { eviction: old, isCancelled: false };
  return { eviction: { since: now, at: now + ms, cause }, isCancelled: old !== undefined };
}
