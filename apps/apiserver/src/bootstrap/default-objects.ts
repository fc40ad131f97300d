import { formatTime } from '#libs/kernel';
import { draft, type BootstrapOptions, type DefaultObject } from './default-object';
import { namedFlowControl } from './flow-control';
import { identityLease } from './identity-lease';
import { serviceNetwork } from './service-network';

/**
 * What the API server of the recorded release creates in an empty cluster before it answers, in its order, and as it writes them: the write
 * path adds the rest. What it looks after for as long as it lives is made by its controllers (`libs/controllers/src/apiserver`).
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
    configMap('extension-apiserver-authentication', authenticationData(options)),
    namespace('kube-node-lease'),
    configMap('kube-apiserver-legacy-service-account-token-tracking', { since: formatTime(now).slice(0, 10) }),
    priorityClass('system-node-critical', 2_000_001_000, 'Used for system critical pods that must not be moved from their current node.'),
    priorityClass(
      'system-cluster-critical',
      2_000_000_000,
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    ),
    ...(options.host === undefined ? [] : [identityLease(options.host, now)]),
    ...namedFlowControl(),
    ...serviceNetwork(options),
  ];
}

/** What servers of aggregated APIs read: whose certificates tell who a client is, and how this server tells whom it asks for. */
export function authenticationData({ ca, frontProxyCa = ca }: BootstrapOptions): Record<string, string> {
  return {
    ...(ca === undefined ? {} : { 'client-ca-file': ca }),
    'requestheader-allowed-names': '[]',
    ...(frontProxyCa === undefined ? {} : { 'requestheader-client-ca-file': frontProxyCa }),
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-username-headers': '["X-Remote-User"]',
  };
}
