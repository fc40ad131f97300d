import type { PreemptionExtenders } from './interface';
import type { NominatedPods } from './nominated-pods';
import type { Snapshot } from './snapshot';

/** The inputs of one attempt beside the pod: everything a plugin may look at. Nothing here changes during the attempt. */
export interface Cycle {
  readonly snapshot: Snapshot;
  readonly nominated: NominatedPods;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** A whole number in [0, bound). The only source of ties. */
  readonly chance: (bound: number) => number;
  /** Absent when there are no extenders. */
  readonly preemptionExtenders?: PreemptionExtenders;
}
