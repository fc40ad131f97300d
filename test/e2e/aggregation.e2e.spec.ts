import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExtensionServer, metricsRoot, metricsService } from '../../apps/apiserver/src/aggregation/extension-server.fixture';
import { eventually, findKubectl, kubereel, run, RunningCluster, type Output } from './running-cluster';

const services = '/api/v1/namespaces/kube-system/services';
const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
const authentication = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

const binary = findKubectl('1.33');
if (!binary) console.warn('\n*** kubectl 1.33 is not on PATH or beside it: TESTS OF kubectl top ARE SKIPPED ***\n');

describe('a metrics server behind kubereel', { timeout: 120_000 }, () => {
  let cluster: RunningCluster;
  let extension: ExtensionServer;
  const home = mkdtempSync(join(tmpdir(), 'kubereel-home-'));
  const kubectl = (...args: string[]): Promise<Output> =>
    run(binary as string, args, { env: { KUBECONFIG: cluster.kubeconfig, HOME: home } });
  const isAvailable = (): Promise<boolean> =>
    eventually('the metrics server is available', async () => {
      const { body } = await cluster.get(`${apiServices}/${metricsService}`);
      return body.status?.conditions?.[0]?.status === 'True';
    });

  beforeAll(async () => {
    cluster = await RunningCluster.start(RunningCluster.temporaryFolder(), '--nodes', '1', '--no-metrics-server');
    const { body } = await cluster.get(authentication);
    extension = await ExtensionServer.start(body.data['requestheader-client-ca-file'] as string);
    await cluster.create(services, extension.service);
    await cluster.create(apiServices, extension.registration());
    await isAvailable();
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    cluster.remove();
    await extension.close();
    rmSync(home, { recursive: true });
  });

  it.skipIf(!binary)('is what kubectl top, api-resources and get --raw ask', async () => {
    expect((await kubectl('top', 'nodes')).stdout).toMatch(/^NAME +CPU.*\nnode-1 +250m +\d+% +512Mi +\d+% *\n$/);
    expect((await kubectl('top', 'pods')).stdout).toMatch(/web +250m +512Mi/);
    const resources = (await kubectl('api-resources', '--api-group', 'metrics.k8s.io', '--no-headers')).stdout;
    expect(resources).toMatch(/nodes +metrics\.k8s\.io\/v1beta1 +false +NodeMetrics\npods +metrics\.k8s\.io\/v1beta1 +true +PodMetrics\n/);
    expect(JSON.parse((await kubectl('get', '--raw', `${metricsRoot}/nodes`)).stdout)).toMatchObject({ kind: 'NodeMetricsList' });
    expect((await kubectl('get', 'apiservices', metricsService, '--no-headers')).stdout).toMatch(/kube-system\/metrics +True/);
    expect(extension.last(`${metricsRoot}/nodes`)?.peer).toBe('front-proxy-client');
  });

  it('is asked again after a restart, and a log of all that is proven', async () => {
    expect(statSync(join(cluster.folder, 'kubereel.json')).mode & 0o777).toBe(0o600);
    await cluster.stop();
    cluster = await RunningCluster.start(cluster.folder);
    await isAvailable();
    const before = extension.received.length;
    expect((await cluster.get(`${metricsRoot}/nodes`)).code).toBe(200);
    await cluster.stop();
    const asked = extension.received.length;
    expect(asked).toBeGreaterThan(before);
    const { code, stdout } = await kubereel(['verify', '--data', cluster.folder]);
    expect(code, stdout).toBe(0);
    // Who reads the log calls nobody.
    expect(extension.received.length).toBe(asked);
  });
});
