import { expect, it } from 'vitest';
import { SimulatedCluster } from '../simulated-cluster.fixture';

it('brings a bound pod from Pending to Running and Ready, 300 ms after the kubelet took it', async () => {
  const cluster = await SimulatedCluster.start();
  await cluster.node('node-1');
  await cluster.run(0);
  console.log(JSON.stringify(cluster.runtime.state.get('nodes', undefined, 'node-1'), null, 1));
  await cluster.pod({ name: 'web', spec: { nodeName: 'node-1' } });
  await cluster.run(1000);
  console.log(cluster.story('web'), JSON.stringify(cluster.get('web')?.status, null, 1));
  await cluster.delete('web');
  await cluster.run(1000);
  console.log(cluster.story('web'));
  expect(cluster.get('web')).toBeUndefined();
});
