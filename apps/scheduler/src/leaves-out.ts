import type { LeftOut } from '#libs/cluster-state';

/** What no controller of this app reads, nor the write path of what they write. */
export const schedulerLeavesOut: LeftOut = {
  resources: ['events', 'leases.coordination.k8s.io'],
  streams: ['admission-reviews', 'eviction-reviews', 'kubelet-decisions'],
};
