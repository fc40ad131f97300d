import type { NodeRecord } from '#libs/cluster-state';

/**
 * When the kubelet that is at work now learnt of a request, ms: one that began later finds it when it begins, and one that nobody could reach when it
 * is reached again.
 * @param at of the request, ms
 */
export function knownSince({ kubeletStartedAt = 0, lastSilence }: NodeRecord, at: number): number {
  if (at < kubeletStartedAt) return kubeletStartedAt;
  return lastSilence && at >= lastSilence.from && at < lastSilence.to ? lastSilence.to : at;
}
