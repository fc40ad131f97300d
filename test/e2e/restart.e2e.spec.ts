import { afterEach, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const lists = [
  '/api/v1/nodes',
  '/api/v1/pods',
  '/api/v1/services',
  '/api/v1/serviceaccounts',
  '/api/v1/configmaps',
  '/api/v1/namespaces',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/policy/v1/poddisruptionbudgets',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
];

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: 'c', image: 'registry.example/app:1', resources: { requests: { cpu: '500m' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } },
    },
  };
}

/** Everything as it reads, each list without its own version (other writes may have moved it). */
async function everything(cluster: RunningCluster): Promise<string> {
  const bodies = await Promise.all(lists.map(async (path) => (await cluster.get(path)).body.items));
  return JSON.stringify(bodies, null, 1);
}

async function running(cluster: RunningCluster, label: string): Promise<number> {
  return (await cluster.pods()).filter((pod) => pod.metadata.labels?.app === label && pod.status.phase === 'Running').length;
}

describe('a cluster stopped and started again', () => {
  let folder = '';
  afterEach(async () => {
    await cluster?.stop();
    if (!process.env.KEEP) cluster?.remove();
    else console.log(cluster?.folder);
  });
  let cluster: RunningCluster | undefined;

  it('shows the same bytes, with a snapshot and without, and goes on working', async () => {
    folder = RunningCluster.temporaryFolder();
    cluster = await RunningCluster.start(folder);
    expect(cluster.output).toContain('new cluster');
    await cluster.create('/apis/scheduling.k8s.io/v1/priorityclasses', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'high' },
      value: 1000,
    });
    await cluster.create('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    await cluster.create('/apis/apps/v1/namespaces/default/deployments', deployment('web', 4));
    await eventually('four pods run', async () => (await running(cluster as RunningCluster, 'web')) === 4);
    await eventually(
      'the budget allows two',
      async () =>
        (await (cluster as RunningCluster).get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/web')).body.status
          .disruptionsAllowed === 2,
    );
    await eventually(
      'the deployment is available',
      async () =>
        (await (cluster as RunningCluster).get('/apis/apps/v1/namespaces/default/deployments/web')).body.status.availableReplicas === 4,
    );
    let before = await everything(cluster);
    await eventually('nothing moves any more', async () => {
      const now = await everything(cluster as RunningCluster);
      const same = now === before;
      before = now;
      return same;
    });
    expect(await cluster.stop()).toBe(0);

    cluster = await RunningCluster.start(folder);
    expect(cluster.output).toContain('resumed the cluster');
    expect(await everything(cluster)).toBe(before);
    await cluster.stop();

    cluster = await RunningCluster.start(folder, '--no-snapshots');
    expect(await everything(cluster)).toBe(before);
    const scaled = await cluster.call(
      'PATCH',
      '/apis/apps/v1/namespaces/default/deployments/web',
      { spec: { replicas: 6 } },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(scaled.code).toBe(200);
    await eventually('six pods run', async () => (await running(cluster as RunningCluster, 'web')) === 6);

    const verified = await kubereel(['verify', '--data', folder]);
    expect(verified.stdout).toMatch(/^\d+ decisions made again: all agree$/m);
    expect(verified.code).toBe(0);
  });
});
