import { afterEach, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const deployments = '/apis/apps/v1/namespaces/default/deployments';

function deployment(replicas: number): object {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'app:1' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}

describe('a cluster in memory', () => {
  let cluster: RunningCluster;
  afterEach(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('answers while its controllers are busy, and says how much of the past it keeps', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral', '--nodes', '10');
    expect(cluster.output).toContain('new cluster in memory; the newest 256 MiB of its history are kept (--history)');
    const replicas = 500;
    await cluster.create(deployments, deployment(replicas));
    expect((await cluster.pods()).length).toBeLessThan(replicas);
    await eventually(
      'all pods run',
      async () => (await cluster.pods()).filter(({ status }) => status.phase === 'Running').length === replicas,
    );
  });

  it('lets go of its oldest history at the bound, and goes on', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral', '--history', '1Mi');
    await cluster.create(deployments, deployment(100));
    await eventually('all pods run', async () => (await cluster.pods()).filter(({ status }) => status.phase === 'Running').length === 100);
    for (let i = 0; i < 20; i++) {
      await cluster.create('/api/v1/namespaces/default/configmaps', {
        metadata: { name: `large-${i}` },
        data: { text: 'x'.repeat(100_000) },
      });
    }
    // The changes of the near past are at hand beside the log; the log's beginning is not.
    expect(await cluster.get(`/at/2020-01-01T00:00:00Z/api/v1/pods`)).toMatchObject({ code: 410, body: { reason: 'Expired' } });
    const now = (await cluster.get('/api/v1/pods')).body;
    expect((await cluster.get(`/at/${now.metadata.resourceVersion}/api/v1/pods`)).body.items).toEqual(now.items);
    const env = { KUBECONFIG: cluster.kubeconfig };
    expect(await kubereel(['log', '--limit', '1'], env)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/history before position \d+ has been let go/),
    });
    expect(await kubereel(['verify'], env)).toMatchObject({ code: 1, stderr: expect.stringMatching(/verify needs the whole history/) });
  });
});
