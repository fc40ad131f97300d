import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await RunningCluster.start(RunningCluster.temporaryFolder());
});
afterAll(async () => {
  await cluster?.stop();
  cluster?.remove();
});

async function renewTime(): Promise<string | undefined> {
  const { code, body } = await cluster.call('GET', `${leases}/node-1`);
  return code === 200 ? (body.spec.renewTime as string) : undefined;
}

it('a client that watches the Leases of nodes finds them renewed', { timeout: 90_000 }, async () => {
  const first = await eventually('node-1 has its Lease', renewTime);
  const watching = cluster.call('GET', `${leases}?watch=true&timeoutSeconds=25`);
  await eventually('the Lease is renewed', async () => ((await renewTime()) !== first ? true : undefined));
  await watching;
  await cluster.stop();
  const { code, stdout, stderr } = await kubereel(['verify', '--data', cluster.folder]);
  expect(code, stdout + stderr).toBe(0);
});
