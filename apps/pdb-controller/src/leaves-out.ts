import type { LeftOut } from '#libs/cluster-state';

/** What no controller of this app reads, nor the write path of what they write: webhooks may be asked about it. */
export const pdbControllerLeavesOut: LeftOut = {
  resources: ['events', 'leases.coordination.k8s.io'],
  streams: ['scheduler-decisions', 'kubelet-decisions'],
};
