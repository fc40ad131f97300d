import type { ResourceKind } from '#libs/kube-api';
import type { Negotiated } from '../negotiation/accept';
import type { Query } from '../request-info/query';
import type { RequestVerb } from '../request-info/request-info';
import type { ClusterView } from '../serving/cluster-view';

/** A request about objects of a served kind, its path checked. */
export interface ResourceRequest {
  kind: ResourceKind;
  verb: RequestVerb;
  /** The empty text for cluster-scoped kinds; undefined: all namespaces. */
  namespace: string | undefined;
  /** Absent for collections. */
  name?: string;
  subresource?: string;
  query: Query;
  negotiated: Negotiated;
  view: ClusterView;
}
