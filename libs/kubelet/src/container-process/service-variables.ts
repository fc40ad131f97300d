import type { KubeObject } from '#libs/kernel';
import type { ImpliedVariables } from './variables';
import type { World } from './world';

interface ServicePort {
  name?: string;
  port: number;
  protocol?: string;
}

/** Names that a Service can give a variable; what is not of this kind need not be looked up. */
const pattern = /_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;

/**
 * `WEB_SERVICE_HOST`, `WEB_SERVICE_PORT`, `WEB_PORT_80_TCP_ADDR` …: the Services that were there when the container started, those of its
 * namespace and the API server's (upstream `getServiceEnvVarMap`, `envvars.FromServices`).
 * @param startedAt ms since the epoch
 */
export function serviceVariables(pod: KubeObject, world: World, startedAt: number): ImpliedVariables {
  let known: Map<string, string> | undefined;
  const all = (): Map<string, string> => (known ??= new Map(servicesFor(pod, world, startedAt).flatMap(variablesOf)));
  return { get: (name) => (pattern.test(name) ? all().get(name) : undefined), all };
}

/** By name. One of the pod's own namespace that is called `kubernetes` stands before the API server's. */
function servicesFor(pod: KubeObject, world: World, startedAt: number): KubeObject[] {
  const byName = new Map<string, KubeObject>();
  for (const service of world.services()) {
    const { namespace, name, creationTimestamp = '' } = service.metadata;
    const { clusterIP } = (service.spec ?? {}) as { clusterIP?: string };
    if (!clusterIP || clusterIP === 'None' || Date.parse(creationTimestamp) > startedAt) continue;
    const isOwn = namespace === pod.metadata.namespace && pod.spec?.enableServiceLinks !== false;
    const isApi = namespace === 'default' && name === 'kubernetes';
    if (isOwn || (isApi && !byName.has(name))) byName.set(name, service);
  }
  return [...byName.values()].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function variablesOf({ metadata, spec }: KubeObject): [string, string][] {
  const { clusterIP: host = '', ports = [] } = (spec ?? {}) as { clusterIP?: string; ports?: ServicePort[] };
  const prefix = variableName(metadata.name);
  const [first] = ports;
  if (!first) return [];
  const named = ports.filter(({ name }) => name);
  return [
    [`${prefix}_SERVICE_HOST`, host],
    [`${prefix}_SERVICE_PORT`, String(first.port)],
    ...named.map(({ name = '', port }): [string, string] => [`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)]),
    ...ports.flatMap((port, index) => linkTo(prefix, host, port, index === 0)),
  ];
}

/** As Docker's links have it. */
function linkTo(prefix: string, host: string, { port, protocol = 'TCP' }: ServicePort, isFirst: boolean): [string, string][] {
  const url = `${protocol.toLowerCase()}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const own = `${prefix}_PORT_${port}_${protocol}`;
  return [
    ...(isFirst ? ([[`${prefix}_PORT`, url]] as [string, string][]) : []),
    [own, url],
    [`${own}_PROTO`, protocol.toLowerCase()],
    [`${own}_PORT`, String(port)],
    [`${own}_ADDR`, host],
  ];
}

function variableName(text: string): string {
  return text.toUpperCase().replaceAll('-', '_');
}
