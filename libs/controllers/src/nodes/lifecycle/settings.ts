/** What an operator may set of how failing nodes are dealt with (upstream's flags of the same names). */
export interface NodeLifecycleSettings {
  /** `--node-monitor-grace-period`: how long a node may be silent before it counts as unknown, ms. */
  monitorGraceMs: number;
  /** `--node-startup-grace-period`: the same for a node whose kubelet has never said anything, ms. */
  startupGraceMs: number;
  /** `--node-eviction-rate`: nodes a second whose pods are evicted, in a zone that is well. */
  evictionRate: number;
  /** `--secondary-node-eviction-rate`: the same in a large zone most of whose nodes are not ready; small ones stop. */
  secondaryEvictionRate: number;
  /** `--large-cluster-size-threshold`: a zone with more nodes is large. */
  largeClusterThreshold: number;
  /** `--unhealthy-zone-threshold`: the part of a zone's nodes that are not ready from which on it is not well. */
  unhealthyZoneThreshold: number;
}

export const nodeLifecycleDefaults: NodeLifecycleSettings = {
  monitorGraceMs: 50_000,
  startupGraceMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

/** Upstream looks at all nodes every 5 s. Here these passes are at whole multiples of it, and only those in which something is due are taken, ms. */
const passMs = 5_000;

/** The first pass at or after a time, ms. */
export function passFrom(time: number): number {
  return Math.ceil(time / passMs) * passMs;
}

/** The last pass at or before a time, ms. */
export function passUpTo(time: number): number {
  return Math.floor(time / passMs) * passMs;
}
