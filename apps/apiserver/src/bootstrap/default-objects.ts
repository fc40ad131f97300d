import { derivedUid, formatTime, type GroupResource, type KubeObject } from '#libs/kernel';

export interface DefaultObject {
  resource: GroupResource;
  object: KubeObject;
}

export interface BootstrapOptions {
  /** PEM of the CA that clients trust; left out of the recorded configuration when unknown. */
  ca?: string;
  /** Where the API server listens. */
  port?: number;
}

/** First address of the Service range, and upstream's usual port. */
const apiServiceAddress = '10.0.0.1';
const securePort = 6443;

/**
 * What the API server of the recorded release creates in an empty cluster, of the kinds that are served here; in its order.
 * @param now cluster time, ms; @param seed of the uids.
 */
export function defaultObjects(now: number, seed: string, options: BootstrapOptions): DefaultObject[] {
  const metadata = (resource: GroupResource, name: string, namespace?: string): KubeObject['metadata'] => ({
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: derivedUid(`${seed}/bootstrap/${resource}/${namespace ?? ''}/${name}`),
    creationTimestamp: formatTime(now),
  });
  const namespace = (name: string): DefaultObject => ({
    resource: 'namespaces',
    object: {
      metadata: { ...metadata('namespaces', name), labels: { 'kubernetes.io/metadata.name': name } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  });
  const priorityClass = (name: string, value: number, description: string): DefaultObject => {
    const resource = 'priorityclasses.scheduling.k8s.io';
    const { creationTimestamp, ...rest } = metadata(resource, name);
    const object = {
      metadata: { ...rest, generation: 1, creationTimestamp },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    };
    return { resource, object };
  };
  const configMap = (name: string, data: Record<string, string>): DefaultObject => ({
    resource: 'configmaps',
    object: { metadata: metadata('configmaps', name, 'kube-system'), data },
  });
  return [
    namespace('kube-system'),
    namespace('kube-public'),
    namespace('default'),
    configMap('extension-apiserver-authentication', authenticationData(options.ca)),
    namespace('kube-node-lease'),
    configMap('kube-apiserver-legacy-service-account-token-tracking', { since: formatTime(now).slice(0, 10) }),
    priorityClass('system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'),
    priorityClass(
      'system-cluster-critical',
      2_000_000_000,
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    ),
    { resource: 'services', object: apiService(metadata('services', 'kubernetes', 'default'), options.port || securePort) },
  ];
}

function authenticationData(ca: string | undefined): Record<string, string> {
  return {
    ...(ca === undefined ? {} : { 'client-ca-file': ca }),
    'requestheader-allowed-names': '[]',
    ...(ca === undefined ? {} : { 'requestheader-client-ca-file': ca }),
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
}

function apiService(metadata: KubeObject['metadata'], port: number): KubeObject {
  return {
    metadata: { ...metadata, labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
      clusterIP: apiServiceAddress,
      clusterIPs: [apiServiceAddress],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  };
}
