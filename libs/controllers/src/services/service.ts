import type { ClusterState } from '#libs/cluster-state';
import { objectKey, type KubeObject } from '#libs/kernel';
import { canonicalAddress, parseAddress } from '#libs/kube-api';

export const services = 'services';

/** One of a Service's ports. */
export interface ServicePort {
  name?: string;
  protocol: string;
  port: number;
  targetPort: number | string;
  appProtocol?: string;
}

/** Of what pods have: a map of labels that must all be there. None, or an empty one, selects nothing. */
export function podSelectorOf(service: KubeObject): Record<string, string> | undefined {
  const selector = service.spec?.selector as Record<string, string> | undefined;
  return selector && Object.keys(selector).length > 0 ? selector : undefined;
}

/** Whether endpoints of the Service are found by its selector: somebody else provides those of all others. */
export function isSelecting(service: KubeObject): boolean {
  return service.spec?.type !== 'ExternalName' && podSelectorOf(service) !== undefined;
}

/** Whether it has an address of its own (upstream `IsServiceIPSet`). */
export function isServiceIPSet(service: KubeObject): boolean {
  const address = service.spec?.clusterIP as string | undefined;
  return address !== undefined && address !== '' && address !== 'None';
}

export function portsOf(service: KubeObject): ServicePort[] {
  return (service.spec?.ports ?? []) as ServicePort[];
}

/** Nothing can be created in it any more. */
export function isNamespaceGoing(cluster: ClusterState, namespace: string): boolean {
  return cluster.get('namespaces', undefined, namespace)?.metadata.deletionTimestamp !== undefined;
}

export type AddressType = 'IPv4' | 'IPv6';

export function addressTypesOf(service: KubeObject): AddressType[] {
  return ((service.spec?.ipFamilies ?? ['IPv4']) as string[]).filter((family): family is AddressType => /^IPv[46]$/.test(family));
}

/** The pod's addresses of one type, as Go writes them. */
export function addressesOf(pod: KubeObject, type: AddressType): string[] {
  const addresses = ((pod.status?.podIPs ?? []) as { ip: string }[]).map(({ ip }) => ip);
  return addresses.filter((ip) => parseAddress(ip)?.family === (type === 'IPv6' ? 6 : 4)).map(canonicalAddress);
}

/** Whether the pod is reached by the Service's name and its own: `HOSTNAME.SERVICE`. */
export function isNamedIn(pod: KubeObject, service: KubeObject): boolean {
  return Boolean(pod.spec?.hostname) && pod.spec?.subdomain === service.metadata.name;
}

interface ContainerPort {
  name?: string;
  protocol?: string;
  containerPort: number;
}

/** The number that a port of the Service has in the pod: a name is looked up in its containers and sidecars. Undefined: the pod has none of that name. */
export function targetPortIn(pod: KubeObject, { targetPort, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort;
  const sidecars = ((pod.spec?.initContainers ?? []) as KubeObject[]).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const { ports } of [...((pod.spec?.containers ?? []) as KubeObject[]), ...sidecars]) {
    for (const port of (ports ?? []) as ContainerPort[]) {
      if (port.name === targetPort && (port.protocol ?? 'TCP') === protocol) return port.containerPort;
    }
  }
  return undefined;
}

/** The Service that a slice says it belongs to, by its label. */
export const serviceNameLabel = 'kubernetes.io/service-name';
export const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
export const endpointSlices = 'endpointslices.discovery.k8s.io';

export function serviceKeyOf(slice: KubeObject): string | undefined {
  const name = slice.metadata.labels?.[serviceNameLabel];
  return name ? objectKey(slice.metadata.namespace, name) : undefined;
}

/** A Service's slices that one controller manages and that are not going, in order of name. */
export function slicesOf(cluster: ClusterState, serviceKey: string, manager: string): KubeObject[] {
  const table = cluster.table(endpointSlices);
  const namespace = serviceKey.slice(0, serviceKey.indexOf('/'));
  const keys = table.keysWith('endpointslice/service', (slice) => serviceKeyOf(slice), serviceKey);
  const candidates = keys ? keys.map((key) => table.get(key) as KubeObject) : [...table.list(namespace)];
  return candidates.filter((slice) => {
    const { labels, deletionTimestamp } = slice.metadata;
    return serviceKeyOf(slice) === serviceKey && labels?.[managedByLabel] === manager && deletionTimestamp === undefined;
  });
}

export function isOwnedBy(slice: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  return (
    slice.metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.kind === 'Service' && owner.apiVersion === 'v1') ?? false
  );
}
