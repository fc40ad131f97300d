import { servedAtOf, serviceAddress, serviceAuthority, type ClusterState } from '#libs/cluster-state';
import { objectKey, type KubeObject, type ObjectKey } from '#libs/kernel';
import { groupVersionPath, type ApiServiceAvailability } from '#libs/kube-api';

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
 * Whether the server behind a Service can be asked, in upstream's words and order of checks. Containers here only tell of themselves: where all
 * else is in order, a connection to them is refused. Undefined: it is reached over the real network, and only asking tells.
 */
export function remoteAvailability(
  cluster: ClusterState,
  { namespace, name, port }: BackendReference,
  { group, version }: { group: string; version: string },
): ApiServiceAvailability | undefined {
  const service = cluster.get('services', namespace, name);
  const place = `service/${name} in ${JSON.stringify(namespace)}`;
  if (!service) return unavailable('ServiceNotFound', `${place} is not present`);
  const refusal = service.spec?.type === 'ClusterIP' ? endpointsRefusal(cluster, service, port, place) : undefined;
  if (refusal) return refusal;
  const address = serviceAddress(cluster, namespace, name, port);
  if (!('error' in address)) return undefined;
  const { error } = address;
  if (!error.startsWith('dial ')) return undiscovered(error);
  const url = `https://${serviceAuthority(service, port)}${groupVersionPath(group, version)}`;
  return undiscovered(`failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${error}`);
}

/** The server did not answer the question what it serves. @param why in the words of Go's client */
export function undiscovered(why: string): ApiServiceAvailability {
  return unavailable('FailedDiscoveryCheck', why);
}

function unavailable(reason: string, message: string): ApiServiceAvailability {
  return { status: 'False', reason, message };
}

function endpointsRefusal(cluster: ClusterState, service: KubeObject, port: number, place: string): ApiServiceAvailability | undefined {
  const { namespace, name } = service.metadata;
  const ports = (service.spec?.ports ?? []) as { name?: string; port: number }[];
  const found = ports.find((each) => each.port === port);
  if (!found) return unavailable('ServicePortError', `${place} is not listening on port ${port}`);
  // One that is served elsewhere needs no pods.
  if (servedAtOf(service)) return undefined;
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
