import type { IncludeObject } from '#libs/kube-api';
import type { Negotiated } from '../negotiation/accept';

/** How a client wants objects shown. */
export interface Presentation {
  negotiated: Negotiated;
  includeObject: IncludeObject;
  /** Moment that ages are counted to, ms. */
  now: number;
}

export interface ListMetadata {
  /** Absent of what is stored nowhere. */
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}
