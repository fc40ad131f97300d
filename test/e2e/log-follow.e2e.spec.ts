import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, eventually, kubereel, RunningCluster } from './running-cluster';

describe('kubereel log -f', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
  });
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('goes on with what happens later, in a data folder too', async () => {
    const child = spawn(process.execPath, [cli, 'log', '-f', '--data', cluster.folder], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually('the history is shown', () => output.includes('ClusterCreated'));
    await cluster.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'later' } });
    await eventually('what came later is shown', () => output.includes('later'));
    expect(child.exitCode).toBeNull();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('asks the cluster of $KUBECONFIG, not another one whose folder is near', async () => {
    const memory = await RunningCluster.start(RunningCluster.temporaryFolder(), '--ephemeral');
    await memory.create('/api/v1/namespaces/default/configmaps', { metadata: { name: 'only-in-memory' } });
    const { stdout } = await kubereel(['log'], { KUBECONFIG: memory.kubeconfig });
    await memory.stop();
    memory.remove();
    expect(stdout).toContain('only-in-memory');
  });
});
