import type { KubeObject } from '#libs/kernel';
import { jsonEqual } from '#libs/kernel';
import type { Hint } from '../../framework/events';
import { assignedNode, nodeSpec, podSpec } from '../../framework/kube-types';
import type { PodInfo } from '../../framework/pod-info';
import type { Labels } from '../../framework/selectors';
import { labelOf, noLabels, selectorMatches } from '../../framework/selectors';
import type { SpreadConstraint } from './constraints';
import { hasAllKeys } from './constraints';

function labelsOf(object: KubeObject): Labels {
  return object.metadata.labels ?? noLabels;
}

/** The pod itself, or an assigned one of its namespace. */
function isInvolved(other: KubeObject, pod: PodInfo): boolean {
  return other.metadata.uid === pod.uid || (assignedNode(other) !== '' && other.metadata.namespace === pod.namespace);
}

/** A pod that some constraint counts came, went or changed; or the pod itself tolerates other taints. */
export function afterPodChange(
  pod: PodInfo,
  old: KubeObject | undefined,
  updated: KubeObject | undefined,
  constraints: readonly SpreadConstraint[],
): Hint {
  for (const other of [old, updated]) if (other !== undefined && !isInvolved(other, pod)) return 'QueueSkip';
  const matches = (other: KubeObject, constraint: SpreadConstraint): boolean => selectorMatches(constraint.selector, labelsOf(other));
  if (old !== undefined && updated !== undefined) {
    const toleratesOthers =
      updated.metadata.uid === pod.uid && !jsonEqual(podSpec(old).tolerations ?? [], podSpec(updated).tolerations ?? []);
    if (toleratesOthers && constraints.some((constraint) => constraint.honorsNodeTaints)) return 'Queue';
    return constraints.some((constraint) => matches(old, constraint) !== matches(updated, constraint)) ? 'Queue' : 'QueueSkip';
  }
  const other = updated ?? old;
  return other !== undefined && constraints.some((constraint) => matches(other, constraint)) ? 'Queue' : 'QueueSkip';
}

/** A node that belongs to the domains came or went, or one came into, left or changed its domain, or its taints. */
export function afterNodeChange(
  old: KubeObject | undefined,
  updated: KubeObject | undefined,
  constraints: readonly SpreadConstraint[],
): Hint {
  const was = old !== undefined && hasAllKeys(labelsOf(old), constraints);
  const is = updated !== undefined && hasAllKeys(labelsOf(updated), constraints);
  if (old === undefined || updated === undefined) return was || is ? 'Queue' : 'QueueSkip';
  if (was !== is) return 'Queue';
  if (!is) return 'QueueSkip';
  const moved = constraints.some(({ topologyKey }) => labelOf(labelsOf(old), topologyKey) !== labelOf(labelsOf(updated), topologyKey));
  return moved || !jsonEqual(nodeSpec(old).taints ?? [], nodeSpec(updated).taints ?? []) ? 'Queue' : 'QueueSkip';
}
