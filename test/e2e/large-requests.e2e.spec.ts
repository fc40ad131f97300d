import { afterEach, describe, expect, it } from 'vitest';
import { RunningCluster } from './running-cluster';

describe('large objects', () => {
  let cluster: RunningCluster;
  afterEach(async () => {
    await cluster.stop();
    cluster.remove();
  });

  it('are written one after the other over one connection', async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
    const sent = 80;
    for (let i = 0; i < sent; i++) {
      await cluster.create('/api/v1/namespaces/default/configmaps', {
        metadata: { name: `large-${i}` },
        data: { text: 'x'.repeat(100_000) },
      });
    }
    const { body } = await cluster.get('/api/v1/namespaces/default/configmaps');
    expect(body.items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('large-'))).toHaveLength(sent);
  });
});
