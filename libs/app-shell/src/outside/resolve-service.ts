import { serviceAddress, type ClusterState } from '#libs/cluster-state';
import type { ResolveService } from './client';

/** Services as the API server finds them for webhooks and aggregated APIs. */
export function resolveServices(state: ClusterState): ResolveService {
  return (namespace, name, port) => serviceAddress(state, namespace, name, port);
}
