import { strict as assert } from 'node:assert';
import { get as httpGet } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { PassThrough, Readable } from 'node:stream';
import type { Informer, KubeConfig, ObjectCache, V1ConfigMap, V1Status } from '@kubernetes/client-node' with {
  'resolution-mode': 'import',
};
import { eventually } from '../e2e/running-cluster';
import type { Surroundings } from './client';
import { kubeconfigThrough } from './program';

const namespace = 'default';
const load = (): Promise<typeof import('@kubernetes/client-node', { with: { 'resolution-mode': 'import' } })> =>
  import('@kubernetes/client-node');

async function configOf(file: string): Promise<KubeConfig> {
  const config = new (await load()).KubeConfig();
  config.loadFromFile(file);
  return config;
}

const configMap = (name: string, data: Record<string, string>, labels?: Record<string, string>): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data,
});

/** What an informer says of the ConfigMaps with a label: `a add 0`, `a update 1`, `a delete 1`. It is begun again whenever it breaks off, as its users have to. */
async function informer(
  { cluster, line, folder }: Surroundings,
  label: string,
): Promise<{ told: string[]; cache: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>; stop(): Promise<void> }> {
  const { CoreV1Api, makeInformer } = await load();
  const config = await configOf(kubeconfigThrough(cluster, line.port, folder));
  const core = config.makeApiClient(CoreV1Api);
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const cache = makeInformer<V1ConfigMap>(config, path, () => core.listNamespacedConfigMap({ namespace, labelSelector: label }), label);
  const told: string[] = [];
  let isStopped = false;
  for (const verb of ['add', 'update', 'delete'] as const) {
    cache.on(verb, ({ metadata, data }) => told.push(`${metadata?.name} ${verb} ${data?.n}`));
  }
  cache.on('error', () => void setTimeout(() => isStopped || void cache.start().catch(() => undefined), 50));
  await cache.start();
  return { told, cache, stop: () => ((isStopped = true), cache.stop()) };
}

/** Statuses of the API server are thrown with their code. */
async function refused(attempt: Promise<unknown>): Promise<{ code: number; body: string }> {
  return attempt.then(
    () => assert.fail('it was not refused'),
    (error: { code: number; body: string }) => error,
  );
}

/** A pod of the test's own, running. */
async function runningPod(config: KubeConfig, name: string): Promise<void> {
  const core = config.makeApiClient((await load()).CoreV1Api);
  const body = {
    metadata: { name },
    spec: { containers: [{ name: 'app', image: 'registry.example/app:1', ports: [{ containerPort: 8080 }] }] },
  };
  await core.createNamespacedPod({ namespace, body });
  await eventually('the pod runs', async () => (await core.readNamespacedPod({ name, namespace })).status?.phase === 'Running');
}

/** What a user of the JavaScript client relies on. */
export const checks: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  'an informer sees every addition, change and deletion in order, though its connection is cut': async (surroundings) => {
    const core = (await configOf(surroundings.cluster.kubeconfig)).makeApiClient((await load()).CoreV1Api);
    const { told, stop } = await informer(surroundings, 'in-order');
    const names = ['a', 'b', 'c'];
    const labels = { 'in-order': 'yes' };
    for (const name of names) await core.createNamespacedConfigMap({ namespace, body: configMap(name, { n: '0' }, labels) });
    for (let n = 1; n <= 30; n++) {
      if (n % 10 === 0) surroundings.line.cut();
      for (const name of names) await core.replaceNamespacedConfigMap({ name, namespace, body: configMap(name, { n: String(n) }, labels) });
    }
    for (const name of names) await core.deleteNamespacedConfigMap({ name, namespace });
    await eventually('the last deletion is seen', () => told.includes('c delete 30'));
    await stop();
    for (const name of names) {
      const expected = ['add 0', ...Array.from({ length: 30 }, (_, i) => `update ${i + 1}`), 'delete 30'];
      assert.deepEqual(
        told.filter((text) => text.startsWith(`${name} `)),
        expected.map((text) => `${name} ${text}`),
      );
    }
  },
  'an informer whose version is too old lists again': async (surroundings) => {
    const core = (await configOf(surroundings.cluster.kubeconfig)).makeApiClient((await load()).CoreV1Api);
    const labels = { expired: 'yes' };
    for (const name of ['kept', 'gone']) await core.createNamespacedConfigMap({ namespace, body: configMap(name, { n: '0' }, labels) });
    const { told, cache, stop } = await informer(surroundings, 'expired');
    await eventually('both are listed', () => told.length === 2);
    surroundings.line.close();
    await core.deleteNamespacedConfigMap({ name: 'gone', namespace });
    for (let n = 1; n <= 450; n++) {
      await core.replaceNamespacedConfigMap({ name: 'kept', namespace, body: configMap('kept', { n: String(n) }, labels) });
    }
    const old = cache.list()[0]?.metadata?.resourceVersion;
    const { code } = await refused(core.listNamespacedConfigMap({ namespace, resourceVersion: old, resourceVersionMatch: 'Exact' }));
    assert.equal(code, 410);
    surroundings.line.open();
    await eventually(
      'the cache is as the cluster is',
      () =>
        cache
          .list()
          .map(({ data }) => data?.n)
          .join() === '450',
    );
    assert.deepEqual(told.slice(2).sort(), ['gone delete 0', 'kept update 450']);
    await core.replaceNamespacedConfigMap({ name: 'kept', namespace, body: configMap('kept', { n: '451' }, labels) });
    await eventually('it goes on', () => told.includes('kept update 451'));
    await stop();
  },
  'writes of an old version are conflicts, of a status too': async ({ cluster }) => {
    const { CoreV1Api, NetworkingV1Api } = await load();
    const config = await configOf(cluster.kubeconfig);
    const core = config.makeApiClient(CoreV1Api);
    const first = await core.createNamespacedConfigMap({ namespace, body: configMap('raced', { n: '0' }) });
    await core.replaceNamespacedConfigMap({ name: 'raced', namespace, body: { ...first, data: { n: '1' } } });
    const { code, body } = await refused(
      core.replaceNamespacedConfigMap({ name: 'raced', namespace, body: { ...first, data: { n: '2' } } }),
    );
    assert.equal(code, 409);
    assert.equal((JSON.parse(body) as V1Status).reason, 'Conflict');
    // Nobody but its clients writes the status of an Ingress.
    const network = config.makeApiClient(NetworkingV1Api);
    const spec = { defaultBackend: { service: { name: 'none', port: { number: 80 } } } };
    const made = await network.createNamespacedIngress({ namespace, body: { metadata: { name: 'raced' }, spec } });
    const statusOf = (ip: string): object => ({ loadBalancer: { ingress: [{ ip }] } });
    await network.replaceNamespacedIngressStatus({ name: 'raced', namespace, body: { ...made, status: statusOf('10.1.0.1') } });
    const late = await refused(
      network.replaceNamespacedIngressStatus({ name: 'raced', namespace, body: { ...made, status: statusOf('10.1.0.2') } }),
    );
    assert.equal(late.code, 409);
  },
  'lists come in pages that hold together': async ({ cluster }) => {
    const core = (await configOf(cluster.kubeconfig)).makeApiClient((await load()).CoreV1Api);
    for (let i = 0; i < 25; i++)
      await core.createNamespacedConfigMap({ namespace, body: configMap(`page-${10 + i}`, {}, { page: 'yes' }) });
    const names: (string | undefined)[] = [];
    const versions = new Set<string | undefined>();
    let next: string | undefined;
    do {
      const page = await core.listNamespacedConfigMap({ namespace, labelSelector: 'page', limit: 10, _continue: next });
      names.push(...page.items.map(({ metadata }) => metadata?.name));
      versions.add(page.metadata?.resourceVersion);
      next = page.metadata?._continue;
      await core.createNamespacedConfigMap({ namespace, body: configMap(`page-1${names.length}-between`, {}, { page: 'yes' }) });
    } while (next);
    assert.deepEqual(
      names,
      Array.from({ length: 25 }, (_, i) => `page-${10 + i}`),
    );
    assert.equal(versions.size, 1);
  },
  'patches: JSON, merge, strategic, and apply with its conflicts': async ({ cluster }) => {
    const { CoreV1Api, PatchStrategy, setHeaderOptions } = await load();
    const core = (await configOf(cluster.kubeconfig)).makeApiClient(CoreV1Api);
    await core.createNamespacedConfigMap({ namespace, body: configMap('patched', { a: '1' }) });
    const patch = (body: object, strategy: (typeof PatchStrategy)[keyof typeof PatchStrategy], more: object = {}): Promise<V1ConfigMap> =>
      core.patchNamespacedConfigMap({ name: 'patched', namespace, body, ...more }, setHeaderOptions('Content-Type', strategy));
    await patch(
      [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/b', value: '2' },
      ],
      PatchStrategy.JsonPatch,
    );
    await patch({ data: { a: null, c: '3' } }, PatchStrategy.MergePatch);
    assert.deepEqual((await patch({ data: { d: '4' } }, PatchStrategy.StrategicMergePatch)).data, { b: '2', c: '3', d: '4' });
    const failed = await refused(patch([{ op: 'test', path: '/data/b', value: 'x' }], PatchStrategy.JsonPatch));
    assert.equal(failed.code, 422);
    const mine = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'patched' }, data: { e: '5' } };
    await patch(mine, PatchStrategy.ServerSideApply, { fieldManager: 'mine' });
    const theirs = { ...mine, data: { e: '6' } };
    const conflict = await refused(patch(theirs, PatchStrategy.ServerSideApply, { fieldManager: 'theirs' }));
    assert.equal(conflict.code, 409);
    assert.deepEqual(
      (JSON.parse(conflict.body) as V1Status).details?.causes?.map(({ reason, field }) => [reason, field]),
      [['FieldManagerConflict', '.data.e']],
    );
    assert.equal((await patch(theirs, PatchStrategy.ServerSideApply, { fieldManager: 'theirs', force: true })).data?.e, '6');
  },
  'objects of any kind, by what they say of themselves': async ({ cluster }) => {
    const { KubernetesObjectApi } = await load();
    const objects = KubernetesObjectApi.makeApiClient(await configOf(cluster.kubeconfig));
    const spec = { minAvailable: 1, selector: { matchLabels: { app: 'any' } } };
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'any', namespace }, spec };
    await objects.create(budget);
    assert.equal((await objects.read(budget)).metadata?.name, 'any');
    const listed = await objects.list('policy/v1', 'PodDisruptionBudget', namespace);
    assert.deepEqual(
      listed.items.map(({ metadata }) => metadata?.name),
      ['any'],
    );
    await objects.delete(budget);
    assert.equal((await refused(objects.read(budget))).code, 404);
  },
  'exec: output, input, exit status': async ({ cluster }) => {
    const { Exec } = await load();
    const config = await configOf(cluster.kubeconfig);
    await runningPod(config, 'executed');
    const run = async (command: string[], input?: string): Promise<{ out: string; status: V1Status }> => {
      const out = new PassThrough();
      let text = '';
      out.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const stdin = input === undefined ? null : Readable.from([input]);
      const status = await new Promise<V1Status>(
        (resolve, reject) =>
          void new Exec(config).exec(namespace, 'executed', 'app', command, out, null, stdin, false, resolve).catch(reject),
      );
      return { out: text, status };
    };
    const said = await run(['echo', 'hi there']);
    assert.equal(said.out, 'hi there\n');
    assert.equal(said.status.status, 'Success');
    const failed = await run(['sh', '-c', 'echo out; exit 3']);
    assert.equal(failed.out, 'out\n');
    assert.deepEqual([failed.status.reason, failed.status.details?.causes?.[0]?.message], ['NonZeroExitCode', '3']);
  },
  'logs, followed until the pod goes': async ({ cluster }) => {
    const { CoreV1Api, Log } = await load();
    const config = await configOf(cluster.kubeconfig);
    const stream = new PassThrough();
    let text = '';
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = new Promise((resolve) => stream.once('end', resolve));
    await new Log(config).log(namespace, 'executed', 'app', stream, { follow: true });
    await eventually('the log begins', () => text !== '');
    await config.makeApiClient(CoreV1Api).deleteNamespacedPod({ name: 'executed', namespace, gracePeriodSeconds: 1 });
    await ended;
  },
  'a forwarded port reaches the container that names it': async ({ cluster }) => {
    const { PortForward } = await load();
    const config = await configOf(cluster.kubeconfig);
    await runningPod(config, 'forwarded');
    const forward = new PortForward(config);
    const server = createServer((socket) => void forward.portForward(namespace, 'forwarded', [8080], socket, null, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const body = await new Promise<string>((resolve, reject) => {
      httpGet({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
    await new Promise((resolve) => server.close(resolve));
    assert.match(body, /its port 8080/);
  },
};
