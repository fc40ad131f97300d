import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler } from '#libs/control-loop';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { availableLocally, withApiServiceAvailability } from '#libs/kube-api';
import { remoteAvailability, slicesOf, type BackendReference } from './remote-availability';

const resource = 'apiservices.apiregistration.k8s.io';
const slices = 'endpointslices.discovery.k8s.io';

/** Names of the APIServices that another server answers, by the key of the Service that leads to it. */
type Backends = Map<string, ObjectKey>;

/** Condition Available of each APIService: those of the server itself always are, others as far as their Service and its endpoints tell. */
export const apiServiceAvailability: Reconciler<Backends> = {
  name: 'apiservice-availability-controller',
  behaviour: '2',
  stream: 'controller-decisions',
  config: {},

  index(cluster) {
    const backends: Backends = new Map();
    for (const service of cluster.table(resource).objects.values()) note(backends, service);
    return backends;
  },

  follows: [resource, 'services', slices],
  *follow(backends, { change }) {
    if (!change) return;
    if (change.resource === resource) {
      backends.delete(change.object.metadata.name);
      if (change.type === 'DELETED') return;
      note(backends, change.object);
      yield change.object.metadata.name;
    } else if (backends.size > 0 && (change.resource === 'services' || change.resource === slices)) {
      const key = change.resource === 'services' ? change.key : slicesOf(change.object);
      for (const [name, backend] of backends) if (backend === key) yield name;
    }
  },

  *allSubjects(_backends, cluster) {
    for (const { metadata } of cluster.table(resource).objects.values()) yield metadata.name;
  },

  reconcile(cluster, _backends, name, { now }) {
    const service = cluster.get(resource, undefined, name);
    if (!service || service.metadata.deletionTimestamp) return undefined;
    const found = availabilityOf(cluster, service);
    // Whoever asks its server says what it answered.
    if (!found) return undefined;
    const object = withApiServiceAvailability(service, found, now);
    if (object === service) return undefined;
    const target = { resource, name };
    return { steps: [{ step: 'status', request: { verb: 'update', target, subresource: 'status', object } }] };
  },
};

function backendOf({ spec }: KubeObject): BackendReference | undefined {
  return (spec?.service as BackendReference | null | undefined) ?? undefined;
}

function note(backends: Backends, service: KubeObject): void {
  const backend = backendOf(service);
  if (backend) backends.set(service.metadata.name, objectKey(backend.namespace, backend.name));
}

function availabilityOf(cluster: ClusterState, service: KubeObject) {
  const backend = backendOf(service);
  if (!backend) return availableLocally;
  const { group = '', version } = service.spec as { group?: string; version: string };
  return remoteAvailability(cluster, backend, { group, version });
}
