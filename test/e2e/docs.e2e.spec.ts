import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, kubereel, run, RunningCluster } from './running-cluster';

const root = join(__dirname, '../..');

function blocksOf(page: string): string[] {
  return [...readFileSync(join(root, page), 'utf8').matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

/** What the guide has its reader type, typed. */
describe('commands of the guide', { timeout: 120_000 }, () => {
  let cluster: RunningCluster;
  let hasKubectl = false;
  beforeAll(async () => {
    hasKubectl = (await run('kubectl', ['version', '--client'])).code === 0;
    if (!hasKubectl) console.warn('\n*** kubectl is not on PATH: the documents are held to YAML alone ***\n');
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '1');
  });
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
  });
  const shell = (script: string) => run('bash', ['-c', script], { env: { KUBECONFIG: cluster.kubeconfig, HOME: cluster.folder } });

  const documents = [
    'README.md',
    'docs/guide.md',
    'docs/scheduler.md',
    'docs/plugins.md',
    'docs/scenarios.md',
    'apps/kubelet/README.md',
  ].flatMap((page) =>
    blocksOf(page)
      .filter((block) => block.includes('<<EOF'))
      .map((block) => [page, block] as const),
  );

  it('has documents to apply', () => expect(documents.length).toBeGreaterThan(0));

  it.each(documents)('%s: what it applies is taken', async (_page, block) => {
    // A document that begins with { is JSON for kubectl.
    for (const [, document = ''] of block.matchAll(/<<EOF\n([\s\S]*?)^EOF$/gm))
      if (document.startsWith('{')) expect(() => JSON.parse(document) as unknown).not.toThrow();
    if (!hasKubectl) return;
    expect(await shell(block)).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads the past in every notation it shows', async () => {
    await cluster.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-0' },
      spec: { containers: [{ name: 'c', image: 'app:1' }] },
    });
    await eventually('the pod runs', async () => (await cluster.pods())[0]?.status.phase === 'Running');
    const { stdout } = await kubereel(['log', 'pod/web-0', '-o', 'json', '--data', cluster.folder]);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; position: number; metadata: { time: number } });
    const { id, position, metadata } = events[events.length - 1] as (typeof events)[number];
    // The moment of the last event is over when a second that begins later is.
    const moment = new Date(Math.ceil(metadata.time / 1_000) * 1_000);
    await eventually('the moment has come', () => Date.now() > moment.getTime());
    const lines = blocksOf('docs/guide.md').flatMap((block) =>
      block.split('\n').filter((line) => line.startsWith('kubectl ') && line.includes('/at/')),
    );
    expect(lines.length).toBeGreaterThanOrEqual(5);
    const time = moment.toISOString();
    for (const line of lines) {
      const path = (/(\/at\/\S+)/.exec(line)?.[1] ?? '')
        .replace(/^\/at\/\d+$/, `/at/${position}`)
        .replace('2026-01-01T14:03:10Z', time)
        .replace('14:03:10', time.slice(11, 19))
        .replace('-5m', '-1ms')
        .replace('EVENT-ID', id);
      const { code, body } = await cluster.get(`${path}/api/v1/namespaces/default/pods`);
      expect({ line, code, pods: body.items?.length }).toEqual({ line, code: 200, pods: 1 });
    }
  });
});
