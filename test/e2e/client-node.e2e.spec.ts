import type { V1Pod } from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, RunningCluster } from './running-cluster';

describe('the official JavaScript client', () => {
  let cluster: RunningCluster;

  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral', '--nodes', '2');
  });
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('follows a deployment with an informer, evicts against its budget, and sees it go', async () => {
    const { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, PolicyV1Api } = await import('@kubernetes/client-node');
    const config = new KubeConfig();
    config.loadFromFile(cluster.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    const apps = config.makeApiClient(AppsV1Api);
    const seen = { added: new Set<string>(), deleted: new Set<string>() };
    const informer = makeInformer<V1Pod>(config, '/api/v1/namespaces/default/pods', () => core.listNamespacedPod({ namespace: 'default' }));
    informer.on('add', (pod) => seen.added.add(pod.metadata?.name ?? ''));
    informer.on('delete', (pod) => seen.deleted.add(pod.metadata?.name ?? ''));
    await informer.start();

    const labels = { app: 'web' };
    const spec = { containers: [{ name: 'c', image: 'registry.example/app:1' }], terminationGracePeriodSeconds: 1 };
    await apps.createNamespacedDeployment({
      namespace: 'default',
      body: {
        metadata: { name: 'web' },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      },
    });
    await config.makeApiClient(PolicyV1Api).createNamespacedPodDisruptionBudget({
      namespace: 'default',
      body: { metadata: { name: 'web' }, spec: { minAvailable: 2, selector: { matchLabels: labels } } },
    });
    const pods = await eventually('two pods are ready', async () => {
      const { items } = await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=web' });
      const ready = items.filter(({ status }) =>
        status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
      );
      return ready.length === 2 ? ready : undefined;
    });
    const name = pods[0]?.metadata?.name as string;
    await eventually(
      'the budget is counted',
      async () =>
        (await config.makeApiClient(PolicyV1Api).readNamespacedPodDisruptionBudget({ name: 'web', namespace: 'default' })).status
          ?.currentHealthy === 2,
    );
    const refused = await core
      .createNamespacedPodEviction({ name, namespace: 'default', body: { metadata: { name, namespace: 'default' } } })
      .catch((error: { code: number }) => error);
    expect((refused as { code: number }).code).toBe(429);

    await core.patchNamespacedPod({ name, namespace: 'default', body: [{ op: 'add', path: '/metadata/labels/seen', value: 'yes' }] });
    expect((await core.readNamespacedPod({ name, namespace: 'default' })).metadata?.labels).toMatchObject({ app: 'web', seen: 'yes' });
    await apps.deleteNamespacedDeployment({ name: 'web', namespace: 'default' });
    await eventually('the informer has seen both come and go', () => seen.added.size >= 2 && seen.deleted.size === seen.added.size);
    expect((await core.listNamespacedPod({ namespace: 'default' })).items).toEqual([]);
    await informer.stop();
  });
});
