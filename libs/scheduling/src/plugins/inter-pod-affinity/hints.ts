import type { KubeObject } from '#libs/kernel';
import { allTermsMatch, termMatches } from '../../framework/affinity-terms';
import type { Hint } from '../../framework/events';
import { assignedNode } from '../../framework/kube-types';
import type { PodInfo } from '../../framework/pod-info';
import { podInfoOf } from '../../framework/pod-info';
import { labelOf, noLabels } from '../../framework/selectors';

/**
 * A pod came that meets the affinity, or one changed its labels so that it does or no longer breaks the anti-affinity, or one went
 * that matches all anti-affinity terms. As upstream, the anti-affinity of the pod that went is not looked at.
 */
export function afterPodChange(pod: PodInfo, old: KubeObject | undefined, updated: KubeObject | undefined): Hint {
  if (updated !== undefined && assignedNode(updated) === '') return 'QueueSkip';
  if (old !== undefined && assignedNode(old) === '') return 'QueueSkip';
  const before = old && podInfoOf(old);
  const after = updated && podInfoOf(updated);
  if (before !== undefined && after !== undefined) {
    if (!allTermsMatch(pod.requiredAffinity, before) && allTermsMatch(pod.requiredAffinity, after)) return 'Queue';
    const isCured = pod.requiredAntiAffinity.some((term) => termMatches(term, before, undefined) && !termMatches(term, after, undefined));
    return isCured ? 'Queue' : 'QueueSkip';
  }
  if (after !== undefined) return allTermsMatch(pod.requiredAffinity, after) ? 'Queue' : 'QueueSkip';
  return before !== undefined && allTermsMatch(pod.requiredAntiAffinity, before) ? 'Queue' : 'QueueSkip';
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
