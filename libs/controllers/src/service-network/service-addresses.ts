import type { ClusterState } from '#libs/cluster-state';
import type { Reconciler, Step } from '#libs/control-loop';
import { keyOf, objectKey, type KubeObject } from '#libs/kernel';
import { clusterAddressesOf, ipAddressFor } from '#libs/kube-api';

const addresses = 'ipaddresses.networking.k8s.io';
const managedBy = 'ipaddress.kubernetes.io/managed-by';

interface Parent {
  group?: string;
  resource?: string;
  namespace?: string;
  name?: string;
}

/**
 * An IPAddress for each cluster IP of a Service, for as long as the Service has it. Upstream writes it with the Service and repairs what is
 * missing or left over; here both is one look at the Service (`services KEY`) or at the address (`ipaddresses NAME`).
 */
export const serviceAddresses: Reconciler = {
  name: 'service-ip-addresses',
  behaviour: '1',
  stream: 'controller-decisions',
  config: {},

  follows: ['services', addresses],
  *follow(_index, { change }) {
    if (change?.resource === 'services') {
      const now = change.type === 'DELETED' ? [] : clusterAddressesOf(change.object);
      if (now.length > 0) yield `services ${change.key}`;
      const before = change.before ?? (change.type === 'DELETED' ? change.object : undefined);
      for (const address of before ? clusterAddressesOf(before) : []) if (!now.includes(address)) yield `ipaddresses ${address}`;
    } else if (change?.resource === addresses) {
      const parent = serviceKeyOf(change.object);
      if (change.type === 'DELETED') {
        if (parent !== undefined) yield `services ${parent}`;
      } else yield `ipaddresses ${change.object.metadata.name}`;
    }
  },

  *allSubjects(_index, cluster) {
    for (const [key, service] of cluster.table('services').objects) if (clusterAddressesOf(service).length > 0) yield `services ${key}`;
    for (const { metadata } of cluster.table(addresses).objects.values()) yield `ipaddresses ${metadata.name}`;
  },

  reconcile(cluster, _index, subject) {
    const [resource, rest = ''] = subject.split(' ', 2);
    const steps = resource === 'services' ? missingOf(cluster, rest) : leftOver(cluster, rest);
    return steps.length > 0 ? { steps } : undefined;
  },
};

function missingOf(cluster: ClusterState, key: string): Step[] {
  const service = cluster.byKey('services', key);
  if (!service) return [];
  return clusterAddressesOf(service)
    .filter((address) => !cluster.get(addresses, undefined, address))
    .map((address) => ({
      step: `create-${address}`,
      request: { verb: 'create', resource: addresses, object: ipAddressFor(address, service.metadata) },
    }));
}

/** What others keep for themselves is left alone. */
function leftOver(cluster: ClusterState, name: string): Step[] {
  const address = cluster.get(addresses, undefined, name);
  if (!address || address.metadata.deletionTimestamp || address.metadata.labels?.[managedBy] !== 'ipallocator.k8s.io') return [];
  const parent = serviceKeyOf(address);
  const service = parent === undefined ? undefined : cluster.byKey('services', parent);
  if (parent === undefined || (service && keyOf(service) === parent && clusterAddressesOf(service).includes(name))) return [];
  const options = { preconditions: { uid: address.metadata.uid } };
  return [{ step: 'delete', request: { verb: 'delete', target: { resource: addresses, name }, options } }];
}

function serviceKeyOf({ spec }: KubeObject): string | undefined {
  const { group = '', resource, namespace, name } = (spec?.parentRef as Parent | undefined) ?? {};
  return group === '' && resource === 'services' && name !== undefined ? objectKey(namespace, name) : undefined;
}
