import type { KubeObject } from '#libs/kernel';

/** Time and identity of a creation: inputs, never read from a clock. */
export interface CreateContext {
  /** Cluster time, ms since the epoch. */
  now: number;
  uid: string;
  /** As it was sent, before anything was filled in. Absent: the object itself. */
  sent?: KubeObject;
}

/** Subresources whose PUT or PATCH goes through a strategy of their own; undefined is the object itself. */
export type UpdatedSubresource = 'status' | 'finalize' | 'ephemeralcontainers' | 'resize' | 'scale' | 'approval';
