import type { LeftOut } from '#libs/cluster-state';

/** What no controller of this app reads, nor the write path of what they write. */
export const priorityAdmissionLeavesOut: LeftOut = {
  resources: ['pods', 'nodes', 'events', 'leases.coordination.k8s.io', 'replicasets.apps', 'configmaps', 'secrets'],
  streams: ['eviction-reviews', 'scheduler-decisions', 'kubelet-decisions'],
};
