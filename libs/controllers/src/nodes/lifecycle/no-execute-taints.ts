import { formatTime, type KubeObject } from '#libs/kernel';
import { notReady, readiness, unreachable } from './node-conditions';
import { taintsOf, type Taint } from './no-schedule-taints';

const isOwn = ({ key, effect }: Taint): boolean => effect === 'NoExecute' && (key === notReady || key === unreachable);

/** Whether the node has a taint by which this controller has pods leave. */
export function hasOwnNoExecute(node: KubeObject): boolean {
  return taintsOf(node).some(isOwn);
}

export function withoutOwnNoExecute(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter((taint) => !isOwn(taint));
}

/** The taint by which pods are to leave a node that is not ready; undefined: it is, or nobody has said. */
function wantedKey(node: KubeObject): string | undefined {
  const status = readiness(node);
  return status === 'False' ? notReady : status === 'Unknown' ? unreachable : undefined;
}

/**
 * The taints with those of NoExecute as a pass changes them by itself: a node that is ready again loses them; one that turned from not ready to
 * unknown, or back, has the one in place of the other. The first one comes by the zone's rate. The same array when nothing is otherwise.
 */
export function withTurnedNoExecute(node: KubeObject, taints: readonly Taint[], now: number): readonly Taint[] {
  const own = taints.filter(isOwn);
  if (own.length === 0) return taints;
  if (readiness(node) === 'True') return withoutOwnNoExecute(taints);
  const key = wantedKey(node);
  if (key === undefined || own.every((taint) => taint.key === key)) return taints;
  if (own.some((taint) => taint.key === key)) return taints.filter((taint) => !isOwn(taint) || taint.key === key);
  return [...withoutOwnNoExecute(taints), { key, effect: 'NoExecute', timeAdded: formatTime(now) }];
}

/** Whether the node waits for its first NoExecute taint. */
export function awaitsNoExecute(node: KubeObject): boolean {
  return wantedKey(node) !== undefined && !hasOwnNoExecute(node);
}

/** The taints with the first of NoExecute, for a node that awaits it. */
export function withFirstNoExecute(node: KubeObject, now: number): readonly Taint[] {
  return [...taintsOf(node), { key: wantedKey(node) as string, effect: 'NoExecute', timeAdded: formatTime(now) }];
}
