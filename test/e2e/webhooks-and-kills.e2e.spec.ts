import { afterEach, expect, it } from 'vitest';
import { allow, patch, TestWebhook } from '../webhooks/webhook.fixture';
import { eventually, kubereel, RunningCluster } from './running-cluster';

const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
const maps = '/api/v1/namespaces/default/configmaps';
const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] }];

let cluster: RunningCluster | undefined;
let webhook: TestWebhook | undefined;

afterEach(async () => {
  webhook?.close();
  await cluster?.stop();
  cluster?.remove();
});

const data = async (name: string): Promise<unknown> => (await cluster?.get(`${maps}/${name}`))?.body.data;

it('a server that is killed while it waits for a webhook has written nothing of it, and its log needs no webhook', async () => {
  webhook = await TestWebhook.start();
  const asked: string[] = [];
  let hangs = false;
  webhook.answering = (review, response) => {
    asked.push(review.request.object?.metadata.name ?? '');
    const say = hangs ? 'too late' : 'yes';
    if (!hangs) allow(review, response, patch([{ op: 'add', path: '/data/hooked', value: say }]));
  };
  const folder = RunningCluster.temporaryFolder();
  cluster = await RunningCluster.start(folder);
  const hook = { rules, admissionReviewVersions: ['v1'], sideEffects: 'None', timeoutSeconds: 30, clientConfig: webhook.client() };
  const selected = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default'] }] };
  await cluster.create(configurations, {
    metadata: { name: 'hooks' },
    webhooks: [{ ...hook, name: 'hooks.example.org', namespaceSelector: selected }],
  });
  await cluster.create(maps, { metadata: { name: 'before' }, data: { a: '1' } });
  hangs = true;
  const created = cluster.call('POST', maps, { metadata: { name: 'never' }, data: { a: '1' } }).catch(() => undefined);
  const changed = cluster.call('PUT', `${maps}/before`, { metadata: { name: 'before' }, data: { a: '2' } }).catch(() => undefined);
  await eventually('both writes are asked about', () => asked.includes('never') && asked.filter((name) => name === 'before').length === 2);
  await cluster.stop('SIGKILL');
  await Promise.all([created, changed]);
  const calls = asked.length;
  webhook.close();
  cluster = await RunningCluster.start(folder);
  expect((await cluster.get(`${maps}/never`)).code).toBe(404);
  expect(await data('before')).toEqual({ a: '1', hooked: 'yes' });
  // Nobody answers any more, and the policy is to fail: what is written anew is refused.
  const refused = await cluster.call('POST', maps, { metadata: { name: 'never' }, data: { a: '1' } });
  expect(refused.body.message).toContain('connect: connection refused');
  expect((await cluster.call('DELETE', `${configurations}/hooks`)).code).toBe(200);
  await cluster.create(maps, { metadata: { name: 'never' }, data: { a: '3' } });
  expect(await data('never')).toEqual({ a: '3' });
  expect(asked).toHaveLength(calls);
  await cluster.stop();
  const verified = await kubereel(['verify', '--data', folder]);
  expect(verified.code, verified.stdout + verified.stderr).toBe(0);
}, 120_000);
