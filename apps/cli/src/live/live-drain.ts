import type { JsonObject, KubeObject } from '#libs/kernel';
import type { DrainCluster } from '../simulation/drain';
import type { ApiClient } from './api-client';

/** The cluster in $KUBECONFIG as `kubectl drain` sees it. */
export function liveDrainCluster(api: ApiClient): DrainCluster {
  return {
    now: () => Date.now(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    cordon: async (node) => {
      const path = `/api/v1/nodes/${encodeURIComponent(node)}`;
      await api.call('PATCH', path, { spec: { unschedulable: true } }, 'application/merge-patch+json');
    },
    podsOn: async (node) => {
      const selector = encodeURIComponent(`spec.nodeName=${node}`);
      const { body } = await api.call('GET', `/api/v1/pods?fieldSelector=${selector}`);
      return (body.items ?? []) as unknown as KubeObject[];
    },
    evict: async ({ metadata: { name, namespace = 'default' } }) => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
      const answer = await api.call('POST', `${podPath(namespace, name)}/eviction`, body);
      return { code: answer.code, ...(answer.code >= 400 ? { message: String((answer.body as JsonObject).message ?? '') } : {}) };
    },
    isThere: async ({ metadata: { name, namespace = 'default', uid } }) => {
      const { code, body } = await api.call('GET', podPath(namespace, name));
      return code === 200 && (body as unknown as KubeObject).metadata.uid === uid;
    },
  };
}

function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}
