import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

describe('questions to a running cluster in memory, through its server', () => {
  let cluster: RunningCluster;
  let env: Record<string, string>;

  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral', '--nodes', '1');
    // Away from any data folder, so that only the server can answer.
    const elsewhere = join(RunningCluster.temporaryFolder(), 'config');
    copyFileSync(cluster.kubeconfig, elsewhere);
    env = { KUBECONFIG: elsewhere };
    const containers = [{ name: 'c', image: 'app:1' }];
    await cluster.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers },
    });
    await eventually('the pod runs', async () => (await cluster.pods())[0]?.status.phase === 'Running');
  });
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('shows the log', async () => {
    const { stdout, code } = await kubereel(['log', 'pod/web'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/PodScheduled +pods default\/web +scheduler +node=node-1/);
    expect(await kubereel(['log', 'pod/absent'], env)).toMatchObject({ code: 1 });
    expect((await kubereel(['log', '--type', 'PodSheduled'], env)).stderr).toContain('no event is called "PodSheduled"');
  });

  it('tells why', async () => {
    const { stdout } = await kubereel(['why', 'pod/web'], env);
    expect(stdout).toContain('bound to node-1');
    expect(stdout).toMatch(/^just before: kubectl --server https:\/\/[\d.]+:\d+\/at\/\d+ get pods -o wide$/m);
  });

  it('verifies', async () => {
    const { stdout, code } = await kubereel(['verify'], env);
    expect(stdout).toContain('digest chain whole');
    expect(stdout).toMatch(/^\d+ decisions made again: all agree$/m);
    expect(code).toBe(0);
  });

  it('gives the log to the administrator only', async () => {
    expect((await cluster.call('GET', '/kubereel/log', undefined, { authorization: 'Bearer nobody' })).code).toBe(401);
    expect((await cluster.call('GET', '/kubereel/log?from=x')).code).toBe(400);
  });
});
