import type { ClusterState } from '#libs/cluster-state';
import { objectKey } from '#libs/kernel';
import type { ResolveService } from './client';

/** On a Service: where on the real network it is served, `HOST:PORT`. The pods of a simulated cluster listen nowhere. */
export const servedAtAnnotation = 'kubereel.dev/served-at';

const servedAt = /^(.+):(\d{1,5})$/;

/**
 * Services as the API server finds them for webhooks. One that is served on the real network says so itself; behind the others nobody
 * listens.
 */
export function resolveServices(state: ClusterState): ResolveService {
  return (namespace, name, port) => {
    const service = state.table('services').get(objectKey(namespace, name));
    if (!service) return { error: `service ${JSON.stringify(name)} not found` };
    const { type, clusterIP, externalName } = (service.spec ?? {}) as Record<string, string | undefined>;
    const [, host, real] = servedAt.exec(service.metadata.annotations?.[servedAtAnnotation] ?? '') ?? [];
    if (host !== undefined && real !== undefined) return { host: host.replace(/^\[|\]$/g, ''), port: Number(real) };
    if (type === 'ExternalName') {
      if (port !== 443) return { error: `cannot route to service with ExternalName and port ${port}` };
      return { host: externalName ?? '', port };
    }
    if (clusterIP === 'None') return { error: 'cannot route to service with ClusterIP "None"' };
    const ports = (service.spec?.ports ?? []) as { port: number }[];
    if (!ports.some((each) => each.port === port)) return { error: `no service port ${port} found for service ${JSON.stringify(name)}` };
    const address = clusterIP?.includes(':') ? `[${clusterIP}]` : clusterIP;
    return { error: `dial tcp ${address}:${port}: connect: connection refused` };
  };
}
