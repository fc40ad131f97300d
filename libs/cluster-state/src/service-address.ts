import { hostPort, objectKey, type KubeObject } from '#libs/kernel';
import type { ClusterState } from './cluster-state';

/** On a Service: where on the real network it is served, `HOST:PORT`. The pods of a simulated cluster listen nowhere. */
export const servedAtAnnotation = 'kubereel.dev/served-at';

export interface ServiceAddress {
  host: string;
  port: number;
}

const servedAt = /^(.+):(\d{1,5})$/;

/**
 * Where on the real network a Service is reached (upstream: `ResolveCluster`), or why it is not, in the words of Go's client. A Service
 * says so itself, is a name for something else, or has endpoints that are no pods. Behind the others nobody listens.
 */
export function serviceAddress(state: ClusterState, namespace: string, name: string, port: number): ServiceAddress | { error: string } {
  const service = state.table('services').get(objectKey(namespace, name));
  if (!service) return { error: `service ${JSON.stringify(name)} not found` };
  const said = servedAtOf(service);
  if (said) return said;
  const { type, clusterIP, externalName, ports } = specOf(service);
  if (type === 'ExternalName') return { host: externalName ?? '', port };
  if (clusterIP === 'None') return { error: 'cannot route to service with ClusterIP "None"' };
  const wanted = ports?.find((each) => each.port === port);
  if (!wanted) return { error: `no service port ${port} found for service ${JSON.stringify(name)}` };
  return (
    endpointOf(state, service, wanted.name ?? '') ?? { error: `dial tcp ${serviceAuthority(service, port)}: connect: connection refused` }
  );
}

/** What a Service says of itself. */
export function servedAtOf({ metadata }: KubeObject): ServiceAddress | undefined {
  const [, host, port] = servedAt.exec(metadata.annotations?.[servedAtAnnotation] ?? '') ?? [];
  return host === undefined || port === undefined ? undefined : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** `HOST:PORT` by which a client within the cluster would call it: a Service with a cluster IP by that, any other by its name. */
export function serviceAuthority(service: KubeObject, port: number): string {
  const { clusterIP, externalName } = specOf(service);
  const { name, namespace = '' } = service.metadata;
  const host = externalName || (clusterIP && clusterIP !== 'None' ? clusterIP : `${name}.${namespace}.svc`);
  return hostPort(host, port);
}

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  externalName?: string;
  ports?: { name?: string; port: number }[];
}

function specOf({ spec }: KubeObject): ServiceSpec {
  return (spec ?? {}) as ServiceSpec;
}

interface Slice {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean }; targetRef?: { kind?: string } }[] | null;
  ports?: { name?: string; port?: number }[] | null;
}

/** The first endpoint that is ready and no pod of the cluster. */
function endpointOf(state: ClusterState, { metadata }: KubeObject, portName: string): ServiceAddress | undefined {
  for (const slice of state.list('endpointslices.discovery.k8s.io', metadata.namespace)) {
    if (slice.metadata.labels?.['kubernetes.io/service-name'] !== metadata.name) continue;
    const { endpoints, ports } = slice as unknown as Slice;
    const port = ports?.find(({ name = '' }) => name === portName)?.port;
    const found = endpoints?.find(({ conditions, targetRef }) => conditions?.ready !== false && targetRef?.kind !== 'Pod');
    const host = found?.addresses?.[0];
    if (host !== undefined && port !== undefined) return { host, port };
  }
  return undefined;
}
