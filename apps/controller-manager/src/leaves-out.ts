import type { LeftOut } from '#libs/cluster-state';

/** What no controller of this app reads, nor the write path of what they write. */
export const controllerManagerLeavesOut: LeftOut = {
  resources: [],
  streams: ['eviction-reviews', 'scheduler-decisions'],
};
