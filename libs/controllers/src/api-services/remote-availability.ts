import type { ClusterState } from '#libs/cluster-state';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import type { ApiServiceAvailability } from '#libs/kube-api';

/** `spec.service` of an APIService, with its defaults. */
export interface BackendReference {
  namespace: string;
  name: string;
  port: number;
}

interface Slice {
  endpoints?: { conditions?: { ready?: boolean } }[] | null;
  ports?: { name?: string; port?: number }[] | null;
}

/** The key of the Service that an EndpointSlice belongs to. */
export function slicesOf({ metadata }: KubeObject): ObjectKey | undefined {
  const name = metadata.labels?.['kubernetes.io/service-name'];
  return name === undefined ? undefined : objectKey(metadata.namespace, name);
}

/**
 * Whether the server behind a Service can be asked, in upstream's words and order of checks. Containers here only tell of themselves, so no
 * connection is made: where all else is in order, it is refused.
 */
export function remoteAvailability(
  cluster: ClusterState,
  { namespace, name, port }: BackendReference,
  { group, version }: { group: string; version: string },
): ApiServiceAvailability {
  const service = cluster.get('services', namespace, name);
  const place = `service/${name} in ${JSON.stringify(namespace)}`;
  if (!service) return unavailable('ServiceNotFound', `${place} is not present`);
  const refusal = service.spec?.type === 'ClusterIP' ? endpointsRefusal(cluster, service, port, place) : undefined;
  if (refusal) return refusal;
  const url = `https://${hostOf(service)}:${port}/apis/${group}/${version}`;
  const dialled = `dial tcp ${hostOf(service)}:${port}: connect: connection refused`;
  return unavailable('FailedDiscoveryCheck', `failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${dialled}`);
}

function unavailable(reason: string, message: string): ApiServiceAvailability {
  return { status: 'False', reason, message };
}

/** A Service with a cluster IP is reached by it, any other by its name. */
function hostOf({ metadata, spec }: KubeObject): string {
  const { clusterIP, externalName } = (spec ?? {}) as { clusterIP?: string; externalName?: string };
  if (externalName) return externalName;
  return clusterIP && clusterIP !== 'None' ? clusterIP : `${metadata.name}.${metadata.namespace}.svc`;
}

function endpointsRefusal(cluster: ClusterState, service: KubeObject, port: number, place: string): ApiServiceAvailability | undefined {
  const { namespace, name } = service.metadata;
  const ports = (service.spec?.ports ?? []) as { name?: string; port: number }[];
  const found = ports.find((each) => each.port === port);
  if (!found) return unavailable('ServicePortError', `${place} is not listening on port ${port}`);
  const portName = found.name ?? '';
  const key = objectKey(namespace, name);
  const slices = [...cluster.list('endpointslices.discovery.k8s.io', namespace)].filter((slice) => slicesOf(slice) === key);
  if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${place}`);
  if (slices.some((slice) => isActive(slice as unknown as Slice, portName))) return undefined;
  return unavailable('MissingEndpoints', `endpointslices for ${place} have no addresses with port name ${JSON.stringify(portName)}`);
}

function isActive({ endpoints, ports }: Slice, portName: string): boolean {
  const isReady = endpoints?.some(({ conditions }) => conditions?.ready !== false) ?? false;
  return isReady && (ports?.some(({ name, port }) => name === portName && port !== undefined) ?? false);
}
