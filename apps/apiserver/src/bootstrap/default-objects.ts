import { formatTime, type GroupResource, type KubeObject } from '#libs/kernel';

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
 * What the API server of the recorded release creates in an empty cluster, of the kinds that are served here; in its order, and as it
 * writes them: the write path adds the rest.
 * @param now cluster time, ms
 */
export function defaultObjects(now: number, options: BootstrapOptions): DefaultObject[] {
  const namespace = (name: string): DefaultObject => ({ resource: 'namespaces', object: draft({ name }) });
  const priorityClass = (name: string, value: number, description: string): DefaultObject => ({
    resource: 'priorityclasses.scheduling.k8s.io',
    object: { ...draft({ name }), value, description },
  });
  const configMap = (name: string, data: Record<string, string>): DefaultObject => ({
    resource: 'configmaps',
    object: { ...draft({ name, namespace: 'kube-system' }), data },
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
    { resource: 'services', object: apiService(options.port || securePort) },
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

/** An object as it is sent: the write path gives it a uid and a time. */
function draft(metadata: Partial<KubeObject['metadata']>): KubeObject {
  return { metadata: metadata as KubeObject['metadata'] };
}

function apiService(port: number): KubeObject {
  return {
    ...draft({ name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } }),
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
  };
}
