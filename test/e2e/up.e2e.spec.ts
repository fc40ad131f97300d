import { createServer } from 'node:net';
import { request } from 'node:https';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

describe('kubereel up', () => {
  const clusters: RunningCluster[] = [];
  afterEach(async () => {
    for (const cluster of clusters.splice(0)) {
      await cluster.stop();
      cluster.remove();
    }
  });

  const start = async (folder: string, ...flags: string[]): Promise<RunningCluster> => {
    const cluster = await RunningCluster.start(folder, ...flags);
    clusters.push(cluster);
    return cluster;
  };

  it('ends with exit 0 on Ctrl-C, open watches or not', async () => {
    const cluster = await start(RunningCluster.temporaryFolder());
    const { url } = cluster.ready() as { url: string };
    const token = /"token": "([^"]+)"/.exec(readFileSync(join(cluster.folder, 'kubereel.json'), 'utf8'))?.[1] as string;
    const ended = new Promise((resolve) => {
      const watch = request(
        `${url}/api/v1/pods?watch=1`,
        { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.resume();
          response.on('close', resolve);
        },
      );
      watch.on('error', resolve);
      watch.end();
    });
    expect(await cluster.stop('SIGINT')).toBe(0);
    await ended;
  });

  it('keeps port, CA and token over a restart, and says how to use the cluster', async () => {
    const folder = RunningCluster.temporaryFolder();
    const first = await start(folder);
    expect(first.output.trim().split('\n').at(-1)).toBe(`export KUBECONFIG=${join(folder, 'kubeconfig')}`);
    const identity = readFileSync(join(folder, 'kubereel.json'), 'utf8');
    await first.stop();
    const second = await start(folder);
    expect(second.output).toContain('kubereel reset');
    expect(readFileSync(join(folder, 'kubereel.json'), 'utf8')).toBe(identity);
  });

  it('names the holder of a locked data folder and of a taken port', async () => {
    const cluster = await start(RunningCluster.temporaryFolder());
    const locked = await kubereel(['up', '--data', cluster.folder, '--port', '0']);
    expect(locked.code).toBe(1);
    expect(locked.stderr).toContain(`is in use by process ${cluster.ready()?.pid}`);
    expect(locked.stderr).toContain('--data');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const taken = await kubereel(['up', '--ephemeral', '--port', String(port)]);
    server.close();
    expect(taken.code).toBe(1);
    expect(taken.stderr).toMatch(new RegExp(`port ${port} is taken by (process ${process.pid} |another program)`));
    expect(taken.stderr).toContain('--port');
  });

  it('adds its context to an existing kubeconfig without switching to it', async () => {
    const folder = RunningCluster.temporaryFolder();
    const file = join(folder, 'mine.yaml');
    writeFileSync(
      file,
      'apiVersion: v1\nkind: Config\ncurrent-context: work\ncontexts:\n- name: work\n  context: {cluster: work, user: me}\nclusters: []\nusers: []\n',
    );
    await start(folder, '--kubeconfig', file);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('current-context: work');
    expect(text).toContain('name: kubereel');
    expect(text).toContain('name: work');
  });

  it("runs over an event store that speaks EventStoreDB's protocol", async () => {
    const { startEventStoreServer } = await import('#apps/event-store');
    const store = await startEventStoreServer({ port: 0 });
    const cluster = await start(RunningCluster.temporaryFolder(), '--event-store', store.connectionString);
    const containers = [{ name: 'c', image: 'app:1' }];
    await cluster.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers },
    });
    await eventually('the pod runs', async () => (await cluster.pods())[0]?.status.phase === 'Running');
    await cluster.stop();
    await store.close();
  });

  it('tells what is wrong with a flag', async () => {
    const nodes = await kubereel(['up', '--nodes', '3,cpus=4']);
    expect(nodes).toMatchObject({ code: 2 });
    expect(nodes.stderr).toContain('"cpus=4" is not understood');
    const apps = await kubereel(['up', '--apps', 'apiserver,schedular']);
    expect(apps.stderr).toContain('no app is called "schedular"');
  });
});
