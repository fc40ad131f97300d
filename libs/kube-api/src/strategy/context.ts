/** Time and identity of a creation: inputs, never read from a clock. */
export interface CreateContext {
  /** Cluster time, ms since the epoch. */
  now: number;
  uid: string;
}

/** Subresources whose PUT or PATCH goes through a strategy of their own; undefined is the object itself. */
export type UpdatedSubresource = 'status' | 'finalize' | 'ephemeralcontainers' | 'resize' | 'scale';
