import { servedAtAnnotation } from '#libs/cluster-state';
import type { ClusterRuntime, Origin, Writer } from '#libs/control-loop';
import { objectStream } from '#libs/events';
import { derivedId, type GroupResource, type KubeObject } from '#libs/kernel';
import { metricsGroup, metricsVersion, simulatedMetricsHost } from './metrics-group';

const apiServices = 'apiservices.apiregistration.k8s.io';
const apiServiceName = `${metricsVersion}.${metricsGroup}`;
const place = { name: 'metrics-server', namespace: 'kube-system' };
const labels = { 'k8s-app': 'metrics-server' };
const aggregated = (role: string): string => `rbac.authorization.k8s.io/aggregate-to-${role}`;

/** What metrics-server's own manifest registers it with, without the server itself: its Service says that it is simulated. */
export const registered: readonly { resource: GroupResource; object: object }[] = [
  {
    resource: 'services',
    object: {
      metadata: { ...place, labels, annotations: { [servedAtAnnotation]: `${simulatedMetricsHost}:443` } },
      spec: { ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 'https', appProtocol: 'https' }] },
    },
  },
  {
    resource: 'clusterroles.rbac.authorization.k8s.io',
    object: {
      metadata: {
        name: 'system:aggregated-metrics-reader',
        labels: { ...labels, [aggregated('admin')]: 'true', [aggregated('edit')]: 'true', [aggregated('view')]: 'true' },
      },
      rules: [{ apiGroups: [metricsGroup], resources: ['pods', 'nodes'], verbs: ['get', 'list', 'watch'] }],
    },
  },
  {
    resource: apiServices,
    object: {
      metadata: { name: apiServiceName, labels },
      spec: {
        group: metricsGroup,
        version: metricsVersion,
        service: { ...place, port: 443 },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  },
];

/** Registers the simulated metrics server, once: where there has ever been an APIService of its name, somebody has decided about that. */
export async function registerMetricsServer(runtime: ClusterRuntime, writer: Writer): Promise<void> {
  const { state } = runtime;
  if (state.head(objectStream(state.cluster, apiServices, undefined, apiServiceName)) !== undefined) return;
  for (const { resource, object } of registered) {
    const { metadata } = object as KubeObject;
    const { name, namespace } = metadata;
    if (state.get(resource, namespace, name)) continue;
    const operation = `bootstrap/${resource}/${namespace ?? ''}/${name}`;
    const origin: Origin = { actor: 'apiserver', operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
    const reviews = [{ type: 'QuotaGranted', data: {} }];
    const result = await writer.write({ verb: 'create', resource, namespace, object: object as KubeObject }, origin, {
      onConflict: 'retry',
      reviews,
    });
    // Another server of the same cluster may have just made it.
    if (result.kind === 'refused' && result.status.reason !== 'AlreadyExists')
      throw new Error(`${resource} ${name} cannot be created: ${result.status.message}`);
  }
}
