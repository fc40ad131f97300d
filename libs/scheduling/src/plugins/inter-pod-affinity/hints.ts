import type { KubeObject } from '#libs/kernel';
import { allTermsMatch } from '../../framework/affinity-terms';
import type { Hint } from '../../framework/events';
import { assignedNode } from '../../framework/kube-types';
import type { PodInfo } from '../../framework/pod-info';
import { podInfoOf } from '../../framework/pod-info';
import { labelOf, noLabels } from '../../framework/selectors';

/**
 * A pod came that meets the affinity, one went that matches all anti-affinity terms, or one changed its labels to either effect.
 * Only assigned pods count. As upstream, the anti-affinity of the pod that went is not looked at.
 */
export function afterPodChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
  const before = placed(old);
  const after = placed(updated);
  if (after !== undefined && allTermsMatch(pod.requiredAffinity, after)) {
    if (before === undefined || !allTermsMatch(pod.requiredAffinity, before)) return 'Queue';
  }
  if (before !== undefined && allTermsMatch(pod.requiredAntiAffinity, before)) {
    if (after === undefined || !allTermsMatch(pod.requiredAntiAffinity, after)) return 'Queue';
  }
  return 'QueueSkip';
}

function placed(pod: KubeObject | undefined): PodInfo | undefined {
  return pod === undefined || assignedNode(pod) === '' ? undefined : podInfoOf(pod);
}

/** A node came, or moved to another domain of a term. */
export function afterNodeChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
  if (updated === undefined) return 'QueueSkip';
  const after = updated.metadata.labels ?? noLabels;
  const before = old && (old.metadata.labels ?? noLabels);
  for (const term of pod.requiredAffinity) {
    const now = labelOf(after, term.topologyKey);
    if (now !== undefined && (before === undefined || labelOf(before, term.topologyKey) !== now)) return 'Queue';
  }
  for (const term of pod.requiredAntiAffinity) {
    if (before === undefined) return 'Queue';
    const was = labelOf(before, term.topologyKey);
    if (was !== undefined && labelOf(after, term.topologyKey) !== was) return 'Queue';
  }
  return 'QueueSkip';
}
