import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { run, type Output } from '../e2e/running-cluster';
import type { Surroundings } from './client';
import { here } from './program';
import { appsPath, isGone } from './workloads';

const chart = join(here, 'helm', 'chart');
const namespace = '/api/v1/namespaces/default';
/** How long Helm waits for a release. */
export const timeout = '--timeout=60s';

interface Release {
  name: string;
  revision: number | string;
  status: string;
}

/** Helm on one cluster, with folders of its own. */
export class Helm {
  constructor(
    private readonly binary: string,
    readonly surroundings: Surroundings,
  ) {}

  try(...args: string[]): Promise<Output> {
    const { cluster, folder } = this.surroundings;
    const env = {
      KUBECONFIG: cluster.kubeconfig,
      HOME: folder,
      HELM_CACHE_HOME: join(folder, 'cache'),
      HELM_CONFIG_HOME: join(folder, 'config'),
      HELM_DATA_HOME: join(folder, 'data'),
    };
    return run(this.binary, args, { env, timeoutMs: 120_000 });
  }

  async ok(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(...args);
    if (code !== 0) throw new Error(`helm ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  async history(): Promise<string[]> {
    const all = JSON.parse(await this.ok('history', 'shop', '--output=json')) as Release[];
    return all.map(({ revision, status }) => `${revision} ${status}`);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async object(path: string): Promise<any> {
    return (await this.surroundings.cluster.get(path)).body;
  }
}

/** What a user of Helm relies on. */
export const checks: Record<string, (helm: Helm) => Promise<void>> = {
  'install: hooks run first, and --wait waits for what is installed': async (helm) => {
    const said = await helm.ok('install', 'shop', chart, '--wait', timeout);
    assert.match(said, /STATUS: deployed/);
    assert.match(said, /shop says hello, revision 1\./);
    const { status } = await helm.object(`${appsPath}/deployments/shop`);
    assert.equal(status.availableReplicas, 2);
    assert.equal((await helm.object(`${namespace}/services/shop`)).spec.ports[0].targetPort, 8080);
    assert.equal((await helm.object('/apis/policy/v1/namespaces/default/poddisruptionbudgets/shop')).spec.maxUnavailable, 1);
    await isGone(helm.surroundings.cluster, '/apis/batch/v1/namespaces/default/jobs/shop-prepare');
    const { metadata, type } = await helm.object(`${namespace}/secrets/sh.helm.release.v1.shop.v1`);
    assert.deepEqual([type, metadata.labels.status], ['helm.sh/release.v1', 'deployed']);
  },
  'test: the pod of a test ends, and its log is there': async (helm) => {
    const said = await helm.ok('test', 'shop', '--logs', timeout);
    assert.match(said, /Phase: +Succeeded/);
    assert.match(said, /POD LOGS: shop-greets\nhello\n/);
  },
  'upgrade: three-way patches, what is new is made, lookup finds what is there': async (helm) => {
    const { cluster } = helm.surroundings;
    const patch = { 'content-type': 'application/merge-patch+json' };
    // What somebody else has added stays.
    await cluster.call('PATCH', `${appsPath}/deployments/shop`, { metadata: { labels: { added: 'by-hand' } } }, patch);
    await helm.ok(
      'upgrade',
      'shop',
      chart,
      '--set=replicas=3,greeting=good day,image=registry.example/app:2,secondMap=true',
      '--wait',
      timeout,
    );
    const { metadata, spec, status } = await helm.object(`${appsPath}/deployments/shop`);
    assert.deepEqual(
      [metadata.labels.added, spec.replicas, spec.template.spec.containers[0].image, status.updatedReplicas],
      ['by-hand', 3, 'registry.example/app:2', 3],
    );
    assert.deepEqual((await helm.object(`${namespace}/configmaps/shop-greeting`)).data, { greeting: 'good day', first: 'hello' });
    assert.equal((await helm.object(`${namespace}/configmaps/shop-second`)).kind, 'ConfigMap');
    assert.deepEqual(await helm.history(), ['1 superseded', '2 deployed']);
  },
  'an upgrade that does not come about fails, and says so': async (helm) => {
    const { code, stderr } = await helm.try(
      'upgrade',
      'shop',
      chart,
      '--set=image=registry.example/app:3,replicas=many,secondMap=true',
      '--wait',
      timeout,
    );
    assert.notEqual(code, 0);
    assert.match(stderr, /UPGRADE FAILED/);
    assert.equal((await helm.history()).at(-1), '3 failed');
  },
  'rollback: back to the first revision, what came later goes': async (helm) => {
    await helm.ok('rollback', 'shop', '1', '--wait', timeout);
    const { spec } = await helm.object(`${appsPath}/deployments/shop`);
    assert.deepEqual([spec.replicas, spec.template.spec.containers[0].image], [2, 'registry.example/app:1']);
    await isGone(helm.surroundings.cluster, `${namespace}/configmaps/shop-second`);
    assert.equal((await helm.history()).at(-1), '4 deployed');
    assert.match(await helm.ok('get', 'manifest', 'shop'), /kind: Deployment/);
    const [listed] = JSON.parse(await helm.ok('list', '--output=json')) as Release[];
    assert.deepEqual([listed?.name, listed?.status], ['shop', 'deployed']);
  },
  'a test that fails is told': async (helm) => {
    await helm.ok('upgrade', 'shop', chart, '--set=greeting=rude', '--wait', timeout);
    const { code, stdout, stderr } = await helm.try('test', 'shop', timeout);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /Phase: +Failed/);
  },
  'uninstall: everything goes, and is waited for': async (helm) => {
    assert.match(await helm.ok('uninstall', 'shop', '--wait', timeout), /release "shop" uninstalled/);
    for (const path of [`${appsPath}/deployments/shop`, `${namespace}/services/shop`, `${namespace}/configmaps/shop-greeting`]) {
      assert.equal((await helm.surroundings.cluster.get(path)).code, 404, path);
    }
    const secrets = (await helm.object(`${namespace}/secrets?labelSelector=owner%3Dhelm`)).items as object[];
    assert.deepEqual(secrets, []);
  },
};
